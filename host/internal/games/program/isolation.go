package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/games/sandbox"
)

// Isolation says how the programs of players are confined. With the zero value they
// are not: they have all rights of the host's user.
//
// A confined program can read its own files (see Commands), the interpreter and
// libraries that it needs, and the files of Read. It can't write files, use the
// network, signal other processes or see the environment of the host.
type Isolation struct {
	Level     sandbox.Level // "": Off. The other fields count only if it is not Off.
	Memory    int64         // bytes of each process: heap, stacks and private mappings; 0: no limit
	CPU       time.Duration // CPU time of each process, rounded up to whole seconds; 0: no limit
	Read      []string      // files and folders that all programs can read
	Libraries []string      // folders with interpreters and libraries, in addition to those of the system
	Private   []string      // files and folders that no program can read, such as records
	Processes bool          // programs can start others, each of them with the same limits
	Folder    string        // the working directory of all programs, absolute; empty: the host's. It counts at every level
}

func (i Isolation) off() bool { return i.Level == "" || i.Level == sandbox.Off }

// Command is a program with its arguments. It is confined only if it comes from
// Isolation.Commands.
type Command struct {
	Args []string // the name or path of the program, and its arguments

	core      *Core    // on which it runs; nil: on any
	ponders   bool     // it also runs while it is not asked
	folder    string   // working directory; empty: the host's
	env       []string // added to the environment
	isolation Isolation
	path      string // of a confined program
	policy    sandbox.Policy
}

// ErrUnsupported is the error of Commands if the system lacks what isolation needs.
var ErrUnsupported = errors.New("programs can't be confined completely on this system")

// With returns the command with more variables in its environment, as KEY=VALUE.
func (c Command) With(env ...string) Command {
	c.env = slices.Concat(c.env, env)
	return c
}

// On returns the command for a program that runs on a core, and only while its match
// waits for its line.
func (c Command) On(core *Core) Command {
	c.core = core
	return c
}

// Pondering returns the command for a program that has its core for itself, and also runs
// while it is not asked.
func (c Command) Pondering() Command {
	c.ponders = true
	return c
}

// Commands returns the confined commands of programs that play against each other. An
// empty command is that of a bot, which has no program. On systems other than Linux
// BestEffort confines nothing.
//
// A program's own files are the program itself, unless it is installed in the system,
// and the files and folders that its arguments name: as a whole, after "=", or in a
// list with ":". The folder of such a file belongs to them too, unless the folder is
// shared: it is or holds the working directory, the home folder or the one for
// temporary files, or it holds files of another program or private ones. An argument
// must not name a shared folder. Links must not lead out of their own folder, because
// players can have made them.
func (i Isolation) Commands(commands [][]string) ([]Command, error) {
	all := make([]Command, len(commands))
	for n, args := range commands {
		all[n].Args, all[n].folder = args, i.Folder
	}
	support := sandbox.Supported()
	switch missing := support.Missing(); {
	case i.off():
		return all, nil
	case i.Level == sandbox.Require && len(missing) > 0:
		return nil, fmt.Errorf("%w, and isolation is %q: %s", ErrUnsupported, i.Level, missing[0].Remedy)
	case !support.Launcher:
		return all, nil
	}
	place, err := i.place()
	if err != nil {
		return nil, err
	}
	owners := make([]owner, len(commands))
	for n, args := range commands {
		if len(args) == 0 {
			continue
		}
		if owners[n], err = place.examine(args); err != nil {
			return nil, fmt.Errorf("start the program %s: %w", args[0], err)
		}
	}
	own := make([][]string, len(commands)) // files and folders of each program
	for n, o := range owners {
		if own[n], err = place.grant(o, slices.Concat(owners[:n], owners[n+1:])); err != nil {
			return nil, fmt.Errorf("confine the program %s: %w", commands[n][0], err)
		}
	}
	for n, o := range owners {
		if len(commands[n]) == 0 {
			continue
		}
		forbidden := slices.Concat(slices.Concat(own[:n]...), slices.Concat(own[n+1:]...), place.private)
		all[n].isolation, all[n].path = i, o.program
		all[n].policy = sandbox.Policy{
			Execute:   slices.Concat(sandbox.Without(slices.Concat(o.needs.Execute, place.libraries), forbidden), own[n]),
			Read:      sandbox.Without(slices.Concat(o.needs.Read, place.read), forbidden),
			Processes: i.Processes, Memory: i.Memory, CPU: i.seconds(),
		}
	}
	return all, nil
}

// Installed returns the confined command of a program that the host has put into a folder
// of its own. The folder is its working directory; it can read and execute what is in it,
// what its interpreter needs, and what is in the folders of its toolchain, which count as
// Libraries. The first argument is an absolute path. An error says that the program can't
// be executed, or that the system lacks what isolation needs.
func (i Isolation) Installed(args []string, folder string, toolchain []string) (Command, error) {
	i.Folder, i.Libraries = folder, slices.Concat(i.Libraries, toolchain)
	c := Command{Args: args, folder: folder}
	support := sandbox.Supported()
	switch missing := support.Missing(); {
	case i.off():
		return c, nil
	case i.Level == sandbox.Require && len(missing) > 0:
		return Command{}, fmt.Errorf("%w, and isolation is %q: %s", ErrUnsupported, i.Level, missing[0].Remedy)
	case !support.Launcher:
		return c, nil
	}
	place, err := i.place()
	if err != nil {
		return Command{}, err
	}
	needs, err := sandbox.Examine(args[0], place.libraries...)
	if err != nil {
		return Command{}, fmt.Errorf("start the program %s: %w", args[0], err)
	}
	needs.Read = slices.DeleteFunc(needs.Read, func(path string) bool { return sandbox.Within(place.working, path) })
	c.isolation, c.path = i, args[0]
	c.policy = sandbox.Policy{
		Execute:   append(sandbox.Without(slices.Concat(needs.Execute, place.libraries), place.private), place.working),
		Read:      sandbox.Without(slices.Concat(needs.Read, place.read), place.private),
		Processes: i.Processes, Memory: i.Memory, CPU: i.seconds(),
	}
	return c, nil
}

// place has the paths, without links, that all programs share.
type place struct {
	folder    string   // the working directory, with links
	working   string   // the working directory
	wide      []string // folders that hold more than the files of one player
	libraries []string
	read      []string
	private   []string
}

func (i Isolation) place() (p place, err error) {
	if p.folder = i.Folder; p.folder == "" {
		p.folder, err = os.Getwd()
	}
	if err == nil {
		p.working, err = filepath.EvalSymlinks(p.folder)
	}
	if err != nil {
		return p, fmt.Errorf("find the working directory: %w", err)
	}
	p.wide = append(p.wide, p.working)
	home, _ := os.UserHomeDir() // not every user has one
	for _, folder := range []string{home, os.TempDir()} {
		if real, err := sandbox.RealPath(folder); err == nil {
			p.wide = append(p.wide, real)
		}
	}
	for _, paths := range []struct {
		from []string
		to   *[]string
		what string
	}{{i.Read, &p.read, "find what all programs can read"}, {i.Libraries, &p.libraries, "find the libraries of programs"}, {i.Private, &p.private, ""}} {
		for _, path := range paths.from {
			real, err := sandbox.RealPath(path)
			switch {
			case err == nil:
				*paths.to = append(*paths.to, real)
			case paths.what != "":
				return p, fmt.Errorf("%s: %w", paths.what, err)
			}
		}
	}
	return p, nil
}

// owner is a program with its own files, as paths without links.
type owner struct {
	program        string // with links, as it is executed
	needs          sandbox.Needs
	files, folders []string
}

// examine finds a program and the files and folders that its command names.
func (p *place) examine(command []string) (o owner, err error) {
	installed := true
	if !strings.ContainsRune(command[0], filepath.Separator) {
		if o.program, err = sandbox.Look(command[0]); err != nil {
			return o, hint(err, p.abs(command[0]), command[0])
		}
	} else {
		o.program = p.abs(command[0])
		info, err := os.Stat(o.program)
		switch {
		case err != nil:
			return o, err
		case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
			return o, fmt.Errorf("%s is not an executable file", command[0])
		}
		real, err := sandbox.RealPath(o.program)
		if err != nil {
			return o, err
		}
		if installed = p.installed(real); !installed {
			if real, err = p.follow(o.program); err != nil {
				return o, err
			}
			o.files = append(o.files, real)
		}
	}
	if o.needs, err = sandbox.Examine(o.program, p.libraries...); err != nil {
		return o, fmt.Errorf("%w; an interpreter that is installed elsewhere needs its folder in --libraries or in plugins.libraries", err)
	}
	if !installed { // a folder of programs can hold those of other players
		o.needs.Read = slices.DeleteFunc(o.needs.Read, func(folder string) bool { return sandbox.Within(o.files[0], folder) })
	}
	for _, argument := range command[1:] {
		if err := p.addNamed(&o, argument); err != nil {
			return o, err
		}
	}
	return o, nil
}

// abs returns the path of a file that a program would find under a name.
func (p *place) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.folder, path)
}

// addNamed adds the files and folders that an argument names.
func (p *place) addNamed(o *owner, argument string) error {
	_, value, _ := strings.Cut(argument, "=")
	for _, path := range slices.Concat([]string{argument, value}, filepath.SplitList(argument), filepath.SplitList(value)) {
		if path == "" {
			continue
		}
		path = p.abs(path)
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		if real, err := sandbox.RealPath(path); err != nil || p.installed(real) {
			continue
		}
		real, err := p.follow(path)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			o.folders = append(o.folders, real)
		default:
			o.files = append(o.files, real)
		}
	}
	return nil
}

// installed reports whether a path belongs to the system or to the libraries. Below
// /opt and /usr/local only folders of programs count, because others can hold the
// files of players.
func (p *place) installed(path string) bool {
	folders := []string{"/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store", "/snap"}
	switch base := filepath.Base(filepath.Dir(path)); {
	case base == "bin" || base == "sbin":
		folders = append(folders, "/usr", "/opt")
	case !sandbox.Within(path, "/usr/local"):
		folders = append(folders, "/usr")
	}
	return sandbox.Within(path, folders...) || sandbox.Within(path, p.libraries...)
}

// follow returns a path without links. Each link must lead to its own folder or below
// it, except those above the working directory and those in the root folder, which
// are the system's.
func (p *place) follow(path string) (string, error) {
	at, full := "/", p.abs(path)
	if sandbox.Within(full, p.folder) {
		at, full = p.working, strings.TrimPrefix(full, p.folder)
	}
	for name := range strings.SplitSeq(full, "/") {
		if name == "" {
			continue
		}
		next := filepath.Join(at, name)
		real, err := filepath.EvalSymlinks(next)
		if err != nil {
			return "", err
		}
		if real != next && at != "/" && !sandbox.Within(real, at) {
			return "", fmt.Errorf("%s is a link to %s, outside of its folder: name that file itself, or copy it", next, real)
		}
		at = real
	}
	return at, nil
}

// grant returns the files and folders that a program can read and execute, and that
// it shares with no other program.
func (p *place) grant(o owner, others []owner) ([]string, error) {
	var foreign []string
	for _, other := range others {
		foreign = append(foreign, slices.Concat(other.files, other.folders)...)
	}
	foreign = slices.DeleteFunc(foreign, func(path string) bool { return slices.Contains(o.files, path) || slices.Contains(o.folders, path) })
	for _, path := range slices.Concat(o.files, o.folders) {
		if sandbox.Within(path, p.private...) {
			return nil, fmt.Errorf("%s is private: no program can read it", path)
		}
	}
	own := slices.Concat(o.files, o.folders)
	for _, folder := range o.folders {
		if reason := p.shared(folder, foreign); reason != "" {
			return nil, fmt.Errorf("it cannot read the folder %s, which %s: give it a folder of its own", folder, reason)
		}
	}
	for _, file := range o.files {
		if folder := filepath.Dir(file); p.shared(folder, foreign) == "" {
			own = append(own, folder)
		}
	}
	return own, nil
}

// shared returns why a folder is not only that of one player, or "".
func (p *place) shared(folder string, foreign []string) string {
	holds := func(path string) bool { return sandbox.Within(path, folder) }
	if slices.ContainsFunc(p.wide, holds) {
		return "is or holds the working directory, the home folder or that for temporary files"
	}
	if i := slices.IndexFunc(foreign, holds); i >= 0 {
		return "holds " + foreign[i] + " of another program"
	}
	if i := slices.IndexFunc(p.private, holds); i >= 0 {
		return "holds " + p.private[i]
	}
	return ""
}

// environment returns the environment of a confined program. It has nothing of the
// host's. Its hints keep runtimes below the limit on memory, so that they collect
// garbage instead of failing.
func (i Isolation) environment() []string {
	env := []string{"PATH=" + sandbox.Path, "LANG=C.UTF-8", "HOME=/nonexistent", "PYTHONDONTWRITEBYTECODE=1"}
	if i.Memory > 0 {
		mb := i.Memory >> 20
		env = append(env, "GOMEMLIMIT="+strconv.FormatInt(i.Memory*8/10, 10),
			fmt.Sprintf("NODE_OPTIONS=--max-old-space-size=%d", mb/2),
			fmt.Sprintf("JAVA_TOOL_OPTIONS=-XX:MaxRAM=%dm -XX:MaxRAMPercentage=50", mb))
	}
	return env
}

// hint adds to an error what to do if the program is in the working directory, where
// it has the given path.
func hint(err error, path, program string) error {
	if _, here := os.Stat(path); here == nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, sandbox.ErrNotFound)) {
		return fmt.Errorf("%w; for the file in this folder write ./%s", err, program)
	}
	return err
}
