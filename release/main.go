// Command release builds the archives of a release: for each system of a host one
// with the host, its games and the client, and for each system of a player one
// with the client. They run without Go.
//
//	go run ./release [-out DIR] [-version V]    archives and their checksums
//	go run ./release -stage DIR                 the host's folder for this system, not packed
//	go run ./release -downloads DIR             only the clients that a host offers
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Systems as the go command names them.
var (
	hosts   = []string{"linux/amd64", "linux/arm64"}
	clients = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
)

func main() {
	out := flag.String("out", "dist", "write archives to `DIR`")
	stage := flag.String("stage", "", "make the host's folder at `DIR` instead")
	offer := flag.String("downloads", "", "make the folder of the clients that a host offers at `DIR` instead")
	version := flag.String("version", described(), "name of the release")
	flag.Parse()
	b := builder{source: ".", flags: []string{"-trimpath", "-ldflags=-s -w"}, cgo: false, offered: clients}
	var err error
	if *offer != "" {
		err = b.downloads(*offer)
	} else if *stage != "" {
		err = b.host(runtime.GOOS+"/"+runtime.GOARCH, *stage)
	} else {
		err = b.all(*out, *version)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func described() string {
	out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		return "dev"
	}
	return strings.TrimSpace(string(out))
}

// builder builds from a source tree.
type builder struct {
	source  string
	flags   []string // of go build
	cgo     bool     // false: built without cgo, so that a program needs no C library
	offered []string // systems for which a host offers its client
}

func (b builder) all(out, version string) error {
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	one := func(kind, target string, build func(target, folder string) error) error {
		name := fmt.Sprintf("%s-%s-%s", kind, version, strings.ReplaceAll(target, "/", "-"))
		folder := filepath.Join(work, name)
		if err := build(target, folder); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		archive, pack := name+".tar.gz", tarGz
		if strings.HasPrefix(target, "windows/") {
			archive, pack = name+".zip", zipped
		}
		if err := pack(folder, filepath.Join(out, archive)); err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(out, archive))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), archive)
		fmt.Printf("%s (%d KiB)\n", archive, len(content)>>10)
		return nil
	}
	for _, target := range hosts {
		if err := one("colosseum", target, b.host); err != nil {
			return err
		}
	}
	for _, target := range clients {
		if err := one("coco", target, b.client); err != nil {
			return err
		}
	}
	name, err := wheel(b.source, out)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		return err
	}
	fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	fmt.Printf("%s (%d KiB)\n", name, len(content)>>10)
	return publish(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()))
}

// host makes the folder of a host: programs, games, clients to download, configuration,
// docs.
func (b builder) host(target, folder string) error {
	if err := b.build(target, "./host", filepath.Join(folder, "host")); err != nil {
		return err
	}
	if err := b.build(target, "./coco", filepath.Join(folder, "coco")); err != nil {
		return err
	}
	games, err := filepath.Glob(filepath.Join(b.source, "plugins", "*", "*.go"))
	if err != nil {
		return err
	}
	for i, file := range games {
		games[i] = filepath.Base(filepath.Dir(file))
	}
	games = slices.Compact(games) // Glob sorts
	if len(games) == 0 {
		return errors.New("there are no games in plugins")
	}
	for _, game := range games {
		to := filepath.Join(folder, "plugins", game)
		if err := b.build(target, "./plugins/"+game, filepath.Join(to, game)); err != nil {
			return err
		}
		// Files of a game that the host reads itself.
		if err := b.copy(to, filepath.Join("plugins", game, "*.md"), filepath.Join("plugins", game, "viewer.js")); err != nil {
			return err
		}
		players := filepath.Join("plugins", game, "players")
		if err := os.CopyFS(filepath.Join(to, "players"), os.DirFS(filepath.Join(b.source, players))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := b.downloads(filepath.Join(folder, "downloads")); err != nil {
		return err
	}
	for to, from := range map[string][]string{
		"configs": {"configs/*.yaml", "release/container.yaml"},
		"docs":    {"docs/*.md"},
		"":        {"LICENSE", "release/README.md", "SECURITY.md", "release/colosseum.service"},
	} {
		if err := b.copy(filepath.Join(folder, to), from...); err != nil {
			return err
		}
	}
	return readable(folder)
}

// downloads makes the folder of the clients that a host offers.
func (b builder) downloads(folder string) error {
	var sums strings.Builder
	for _, target := range b.offered {
		name := "coco-" + strings.ReplaceAll(target, "/", "-")
		if strings.HasPrefix(target, "windows/") {
			name += ".exe"
		}
		if err := b.build(target, "./coco", filepath.Join(folder, name)); err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	return publish(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()))
}

func (b builder) client(target, folder string) error {
	name := "coco"
	if strings.HasPrefix(target, "windows/") {
		name += ".exe"
	}
	if err := b.build(target, "./coco", filepath.Join(folder, name)); err != nil {
		return err
	}
	return b.copy(folder, "LICENSE", "docs/coco.md", "docs/differences.md")
}

func (b builder) build(target, what, to string) error {
	system, processor, _ := strings.Cut(target, "/")
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append(append([]string{"build"}, b.flags...), "-o", to, what)...)
	cmd.Dir = b.source
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor)
	if !b.cgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s for %s: %w\n%s", what, target, err, out)
	}
	return os.Chmod(to, 0o755) // whatever the umask is
}

// copy copies the files that match patterns into a folder. Each pattern must match
// some, except viewer.js, which not every game has.
func (b builder) copy(folder string, patterns ...string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(b.source, pattern))
		if err != nil {
			return err
		}
		if len(files) == 0 && filepath.Base(pattern) != "viewer.js" {
			return fmt.Errorf("there is no %s", pattern)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := publish(filepath.Join(folder, filepath.Base(file)), content); err != nil {
				return err
			}
		}
	}
	return nil
}
