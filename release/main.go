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
	"maps"
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
	b := &builder{source: ".", flags: []string{"-trimpath", "-ldflags=-s -w"}, cgo: false, offered: clients}
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

	clients map[string]string // the file of the client for each system, once it is built
}

func (b *builder) all(out, version string) error {
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
func (b *builder) host(target, folder string) error {
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
	// One command loads the packages once, and links on all processors.
	built := filepath.Join(folder, "built")
	programs := map[string]string{"./host": "", "./coco": ""}
	for _, game := range games {
		programs["./plugins/"+game] = filepath.Join("plugins", game)
	}
	if err := b.build(target, built+string(filepath.Separator), slices.Sorted(maps.Keys(programs))...); err != nil {
		return err
	}
	for what, to := range programs {
		name := program(filepath.Base(what), target)
		if err := os.MkdirAll(filepath.Join(folder, to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(built, name), filepath.Join(folder, to, name)); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(built); err != nil {
		return err
	}
	for _, game := range games {
		to := filepath.Join(folder, "plugins", game)
		// Files of a game that the host reads itself.
		if err := b.copy(to, filepath.Join("plugins", game, "*.md"), filepath.Join("plugins", game, "viewer.js")); err != nil {
			return err
		}
		players := filepath.Join("plugins", game, "players")
		if err := os.CopyFS(filepath.Join(to, "players"), os.DirFS(filepath.Join(b.source, players))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	b.keep(target, filepath.Join(folder, program("coco", target)))
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
func (b *builder) downloads(folder string) error {
	var sums strings.Builder
	for _, target := range b.offered {
		name := program("coco-"+strings.ReplaceAll(target, "/", "-"), target)
		if err := b.coco(target, filepath.Join(folder, name)); err != nil {
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

func (b *builder) client(target, folder string) error {
	if err := b.coco(target, filepath.Join(folder, program("coco", target))); err != nil {
		return err
	}
	return b.copy(folder, "LICENSE", "docs/coco.md", "docs/differences.md")
}

// coco writes the client for a system to a file. It builds the client of each system once.
func (b *builder) coco(target, to string) error {
	if from, ok := b.clients[target]; ok {
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, 0o755)); err != nil {
			return err
		}
	} else if err := b.build(target, to, "./coco"); err != nil {
		return err
	} else {
		b.keep(target, to)
	}
	return os.Chmod(to, 0o755) // whatever the umask is
}

func (b *builder) keep(target, client string) {
	if b.clients == nil {
		b.clients = map[string]string{}
	}
	b.clients[target] = client
}

// program returns the name of a program's file.
func program(name, target string) string {
	if strings.HasPrefix(target, "windows/") {
		return name + ".exe"
	}
	return name
}

// build builds packages into a file, or into a folder that ends in a separator.
func (b *builder) build(target, to string, what ...string) error {
	system, processor, _ := strings.Cut(target, "/")
	path, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	if strings.HasSuffix(to, string(filepath.Separator)) {
		path += string(filepath.Separator)
	}
	cmd := exec.Command("go", slices.Concat([]string{"build"}, b.flags, []string{"-o", path}, what)...)
	cmd.Dir = b.source
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor)
	if !b.cgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s for %s: %w\n%s", strings.Join(what, " "), target, err, out)
	}
	return nil
}

// copy copies the files that match patterns into a folder. Each pattern must match
// some, except viewer.js, which not every game has.
func (b *builder) copy(folder string, patterns ...string) error {
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
