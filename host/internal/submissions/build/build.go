// Package build builds programs that are handed in, confined like games, and prepares
// what was built to be run.
package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
)

// Limits bound a build. All of them must be set, except where 0 has a meaning.
type Limits struct {
	Time      time.Duration // of all commands together
	CPU       time.Duration // of all processes together
	Memory    int64         // bytes of each process, and of all together
	Disk      int64         // bytes of all files that it writes
	File      int64         // bytes of a file
	Files     int           // files and folders that it creates, with those of the source
	Processes int           // at once
	Output    int           // bytes that it prints
	Program   int64         // bytes of what is kept; 0: Disk
	Private   []string      // files and folders that no build can read, such as records
}

// ProgramError is a fault of the program or its author, with a text for the author.
type ProgramError struct{ Text string }

func (e *ProgramError) Error() string { return e.Text }

func fault(format string, args ...any) error { return &ProgramError{fmt.Sprintf(format, args...)} }

// Build builds a program in a private folder, which exists and is empty, and returns the
// files that the language keeps. It writes the commands and what they print to out. The
// caller removes the folder with Remove. When Build returns, no process of the build runs.
// A *ProgramError is the author's; every other error is the host's, and the build can be
// tried again.
//
// The commands have no network, read the tools of the language and programs and libraries
// of the system, and write only the private folder.
func Build(ctx context.Context, p language.Plan, source archive.Tree, folder string, l Limits, level sandbox.Level, out io.Writer) (archive.Tree, error) {
	b, err := newBuilder(ctx, p.Language, folder, l, level, out)
	if err != nil {
		return nil, err
	}
	if err := b.linkPrepared(); err != nil {
		return nil, fmt.Errorf("link what was prepared for %s: %w", p.Language.Title, err)
	}
	if b.entries, _, err = b.count(); err != nil { // they do not count
		return nil, err
	}
	if err := source.Write(b.source); err != nil {
		return nil, fmt.Errorf("write the source: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.Time, fault("the build took longer than %v", l.Time))
	defer cancel()
	for _, args := range p.Build {
		fmt.Fprintf(out, "$ %.500s\n", strings.Join(args, " "))
		if err := b.run(ctx, args, b.source); err != nil {
			return nil, err
		}
	}
	return b.result(p)
}

// builder builds one program.
type builder struct {
	language *language.Language
	tools    *language.Toolchain
	limits   Limits
	level    sandbox.Level
	out      io.Writer
	policy   sandbox.Policy
	private  string            // the folder, without links
	source   string            // in it
	env      map[string]string // of all commands

	entries int           // files in the folder that do not count
	printed int           // bytes
	used    time.Duration // CPU time of the commands that have ended
}

func newBuilder(ctx context.Context, l *language.Language, folder string, limits Limits, level sandbox.Level, out io.Writer) (*builder, error) {
	tools, err := l.Toolchain(ctx)
	if err != nil {
		return nil, err
	}
	private, err := sandbox.RealPath(folder)
	if err != nil {
		return nil, err
	}
	b := &builder{language: l, tools: tools, limits: limits, level: level, out: out, private: private, source: filepath.Join(private, "source")}
	home, temporary := filepath.Join(private, "home"), filepath.Join(private, "tmp")
	for _, dir := range []string{b.source, home, temporary} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	b.env = map[string]string{"HOME": home, "TMPDIR": temporary, "LANG": "C.UTF-8", "GOMEMLIMIT": fmt.Sprint(limits.Memory / 10 * 8)}
	for key, value := range l.Environment {
		b.env[key] = strings.ReplaceAll(value, "{private}", private)
	}
	var path []string
	for _, name := range slices.Sorted(maps.Keys(tools.Programs)) {
		path = append(path, filepath.Dir(tools.Programs[name]))
	}
	b.env["PATH"] = strings.Join(append(path, sandbox.Path), string(filepath.ListSeparator))
	if b.policy, err = b.policyOf(); err != nil {
		return nil, err
	}
	// Before anything of the author is there: if this fails, it is not the author's fault.
	var printed strings.Builder
	check := *b
	check.out = &printed
	soon, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	if err := check.run(soon, l.Version, temporary); err != nil {
		return nil, fmt.Errorf("%s does not run in its confinement: %v: %.500s", l.Title, err, printed.String())
	}
	first, _, _ := strings.Cut(strings.TrimSpace(printed.String()), "\n")
	fmt.Fprintln(out, first)
	return b, nil
}

// policyOf returns what the commands can use. They can execute the programs of the
// system, because compilers start others.
func (b *builder) policyOf() (p sandbox.Policy, err error) {
	programs := slices.Collect(maps.Values(b.tools.Programs))
	if shell, err := sandbox.Look("sh"); err == nil {
		programs = append(programs, shell)
	}
	execute, read := slices.Clone(b.tools.Homes), []string(nil)
	for _, path := range programs {
		needs, err := sandbox.Examine(path, b.tools.Homes...)
		if err != nil {
			return p, err
		}
		execute, read = append(execute, needs.Execute...), append(read, needs.Read...)
	}
	for _, pattern := range b.language.Read {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return p, err
		}
		read = append(read, sandbox.WithoutLinks(files)...)
	}
	private := sandbox.WithoutLinks(b.limits.Private)
	p = sandbox.Policy{
		Execute: sandbox.Without(unique(execute), private), Read: sandbox.Without(unique(read), private),
		Write: b.private, FileBytes: b.limits.File, Processes: true,
		Memory: b.limits.Memory, CPU: int64((b.limits.CPU + time.Second - 1) / time.Second),
	}
	if prepared := b.language.Prepared(); prepared != "" {
		p.Read = append(p.Read, prepared)
	}
	return p, nil
}

func unique(paths []string) []string { return slices.Compact(slices.Sorted(slices.Values(paths))) }

// result returns what is kept.
func (b *builder) result(p language.Plan) (archive.Tree, error) {
	if reason := b.excess(0); reason != "" { // the last command can have ended since the watcher looked
		return nil, fault("%s", reason)
	}
	err := filepath.WalkDir(b.source, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == b.source || !b.language.Drops(path) {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fault("the files of the build can't be read: %v", errors.Unwrap(err))
	}
	most := b.limits.Program
	if most == 0 {
		most = b.limits.Disk
	}
	tree, err := archive.ReadFolder(b.source, archive.Limits{Files: b.limits.Files, Bytes: most})
	var wrong *archive.Error
	switch {
	case errors.As(err, &wrong):
		return nil, fault("what was built can't be kept: %s", wrong.Text)
	case err != nil:
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	if name, own := strings.CutPrefix(p.Run[0], "./"); own {
		i := slices.IndexFunc(tree, func(f archive.File) bool { return f.Path == name })
		if i < 0 {
			return nil, fault("there is no file %s after the build, but it should be run", name)
		}
		tree[i].Executable = true // linkers can't say it: their confinement has no chmod
	}
	return tree, nil
}

// Command returns the confined command of a program that was built and then written into a
// folder, as it is in a plan: its first word is a tool of the language, or ./ and a file.
// The folder is its working directory. It reads its own files and the tools of the
// language, and writes nothing.
func Command(run []string, l *language.Language, folder string, i program.Isolation) (program.Command, error) {
	tools, err := l.Toolchain(context.Background())
	if err != nil {
		return program.Command{}, err
	}
	args := slices.Clone(run)
	if name, own := strings.CutPrefix(args[0], "./"); !own {
		args[0] = tools.Programs[args[0]]
		if args[0] == "" {
			return program.Command{}, fmt.Errorf("%s is not a tool of %s", run[0], l.Title)
		}
	} else {
		if !fs.ValidPath(name) {
			return program.Command{}, fmt.Errorf("%s is not a file of the program", run[0])
		}
		args[0] = filepath.Join(folder, filepath.FromSlash(name))
	}
	return i.Installed(args, folder, tools.Homes)
}
