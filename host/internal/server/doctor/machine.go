package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/base/config"
)

// Free space on the disk of the records: below it the check fails, or warns.
const (
	leastSpace = 100 << 20
	goodSpace  = 1 << 30
)

// socketName is the longest name that the host adds to the folder of sockets.
const socketName = "/colosseum-4294967295/plugin4294967295"

func folders(c *config.Config) []Finding {
	data := nearest(c.Data)
	all := []Finding{writable("data folder", data), dataFolder(c.Data)}
	if !config.InPostgres(c.Store) {
		all = append(all, space(data))
	}
	tmp := os.TempDir()
	if n := len(tmp) + len(socketName); n > maxSocketPath {
		all = append(all, fail("folder for sockets", fmt.Errorf("%s is too long by %d bytes for the paths of sockets", tmp, n-maxSocketPath), "set TMPDIR to a shorter one"))
	} else {
		all = append(all, writable("folder for sockets", tmp))
	}
	for _, folder := range c.Plugins.Folders {
		all = append(all, games(folder))
	}
	return all
}

// nearest returns a folder or, if it does not exist, the nearest folder around it
// that does.
func nearest(folder string) string {
	folder = filepath.Clean(folder)
	for {
		parent := filepath.Dir(folder)
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) || parent == folder {
			return folder
		}
		folder = parent
	}
}

// writable checks that the host can create files in a folder.
func writable(what, folder string) Finding {
	remedy := fmt.Sprintf("name another folder, or make it writable for the user with ID %d", os.Getuid())
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return fail(what, err, remedy)
	}
	_, err = f.WriteString("to be removed")
	err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
	if err != nil {
		return fail(what, err, remedy)
	}
	return ok(what, "%s can be written to", folder)
}

func space(folder string) Finding {
	const what = "disk space"
	free, err := freeSpace(folder)
	if err != nil {
		return fail(what, fmt.Errorf("%s: %w", folder, err), "create the folder")
	}
	text := fmt.Sprintf("%d MiB are free in %s", free>>20, folder)
	switch {
	case free < leastSpace:
		return fail(what, errors.New(text), "make room, or keep the data elsewhere: without space no match is recorded")
	case free < goodSpace:
		return warn(what, text, "make room before a contest")
	default:
		return ok(what, "%s", text)
	}
}

// games checks that a folder has subfolders; host check finds what is wrong with
// single games.
func games(folder string) Finding {
	const what = "games"
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fail(what, err, "name the right folder in plugins.folders")
	}
	n := 0
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(folder, e.Name())); err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			n++
		}
	}
	if n == 0 {
		return warn(what, folder+" has no subfolders", "put folders of games there, or name another folder in plugins.folders")
	}
	return ok(what, "%s has %d subfolders; host check tries them", folder, n)
}

// toolchain checks for Go if games must be built.
func toolchain(ctx context.Context, c *config.Config) Finding {
	const what = "Go toolchain"
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err == nil {
		return ok(what, "%s", strings.TrimSpace(string(version)))
	}
	switch modes := append(slices.Collect(maps.Values(c.Plugins.Modes)), c.Plugins.Mode); {
	case slices.Contains(modes, "compiled"):
		return fail(what, errors.New("not found, but plugins.mode is compiled"), "install Go, or set the mode to auto")
	case slices.Contains(modes, "auto"):
		return ok(what, "not found: games run as the programs in their folders, or as scripts")
	default:
		return ok(what, "not found, and not needed")
	}
}

// memory checks that the memory of games is limited.
func memory(c *config.Config) Finding {
	const what = "memory limit of games"
	if c.Plugins.MemoryMB == 0 {
		return warn(what, "not set", "set plugins.memory_mb: a game can use all memory of the machine")
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		return warn(what, "this system can't enforce it: only games that cooperate keep to it", "use Linux for games that you do not trust")
	}
	limit, err := dataLimit()
	if err != nil {
		return fail(what, err, "set plugins.memory_mb to 0")
	}
	if own := uint64(c.Plugins.MemoryMB) << 20; limit < own {
		return fail(what, fmt.Errorf("the limit of the host is %d MiB of data, but that of a game is %d", limit>>20, c.Plugins.MemoryMB), "raise ulimit -d, or lower plugins.memory_mb")
	}
	return ok(what, "%d MiB for each, enforced by the system", c.Plugins.MemoryMB)
}

// Reserve is how many files the host opens in addition to its connections:
// records, pages, sockets and pipes of games.
const Reserve = 500

func descriptors(c *config.Config) Finding {
	const what = "open files"
	files, want := Files(), c.Clients.Connections+Reserve
	switch {
	case files <= Reserve:
		return fail(what, fmt.Errorf("the limit is %d, but the host's own files need %d", files, Reserve), "raise ulimit -Hn (LimitNOFILE in systemd)")
	case files < want:
		return warn(what, fmt.Sprintf("the limit is %d; %d connections and the host's own files need %d", files, c.Clients.Connections, want),
			"raise ulimit -Hn (LimitNOFILE in systemd), or lower clients.connections")
	default:
		return ok(what, "the limit is %d; the host needs at most %d", files, want)
	}
}
