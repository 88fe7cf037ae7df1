package sandbox

import (
	"bufio"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// Path is the search path of every confined process.
const Path = "/usr/local/bin:/usr/bin:/bin"

// systemFolders hold the libraries of the system's programs and interpreters, and
// nothing of its users.
var systemFolders = []string{
	"/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/libexec",
	"/usr/share", "/usr/local/lib", "/usr/local/lib64", "/usr/local/share",
}

// systemFiles are the files below /etc that loaders and interpreters read: the list
// of libraries, the time zone, and settings of Python, Java and OpenSSL.
var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
	"/etc/python3*", "/etc/java*", "/etc/ssl/openssl.cnf",
}

// prefixes are the folders whose subfolders are programs installed with their own
// libraries.
var prefixes = []string{"/opt", "/usr/local", "/nix/store", "/gnu/store", "/snap"}

// programFolders hold the system's programs and loaders.
var programFolders = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix/store", "/gnu/store", "/snap"}

// shells are interpreters of scripts that usually replace themselves with another
// program of the system, such as java. Such a script can execute all of these programs.
var shells = []string{"sh", "ash", "bash", "dash", "ksh", "zsh"}

// maxInterpreters bounds a chain of scripts that interpret each other.
const maxInterpreters = 4

// Needs are the files that a program needs to run, as paths without links.
type Needs struct {
	Execute []string // programs: its own file, interpreters and the loader
	Read    []string // libraries

	trusted []string // folders of loaders and interpreters
	others  []string // those of them that are not the system's
}

// Examine returns what a program needs: only its file if it is linked statically, its
// loader and the system's libraries if it is linked dynamically, and its interpreter,
// with what that needs, if it is a script. The caller must have checked where the
// program itself is. A loader or an interpreter must be in a folder of the system or
// in one of others, because its name comes from an untrusted file and it becomes
// readable. An error means that the program can't be executed.
func Examine(program string, others ...string) (Needs, error) {
	path, err := filepath.EvalSymlinks(program)
	if err != nil {
		return Needs{}, err
	}
	n := Needs{trusted: slices.Clone(programFolders)}
	for _, folder := range others {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			n.trusted, n.others = append(n.trusted, real), append(n.others, real)
		}
	}
	if err := n.add(path, maxInterpreters); err != nil {
		return Needs{}, err
	}
	slices.Sort(n.Execute)
	slices.Sort(n.Read)
	return Needs{Execute: slices.Compact(n.Execute), Read: slices.Compact(n.Read)}, nil
}

// WithoutLinks returns those paths that exist, without links.
func WithoutLinks(paths []string) (real []string) {
	for _, path := range paths {
		if path, err := filepath.EvalSymlinks(path); err == nil {
			real = append(real, path)
		}
	}
	return real
}

// resolve follows the links of a loader or an interpreter and checks where it is.
func (n *Needs) resolve(program string) (string, error) {
	path, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", err
	}
	if !Within(path, n.trusted...) {
		return "", fmt.Errorf("%s is not in a folder of the system", path)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return "", cmp.Or(err, fmt.Errorf("%s is not executable", path)) // perhaps a secret
	}
	return path, nil
}

// add adds a program, as a path without links.
func (n *Needs) add(path string, depth int) error {
	n.Execute = append(n.Execute, path)
	if !Within(path, n.others...) {
		n.Read = append(n.Read, installation(path)...) // else it could be that of the host, with a game below it
	}
	if slices.Contains(shells, filepath.Base(path)) {
		n.Execute = slices.Concat(n.Execute, WithoutLinks(filepath.SplitList(Path)), WithoutLinks(systemFolders))
	}
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	interpreter, err := shebang(f)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case interpreter != nil && depth == 0:
		return fmt.Errorf("%s: too many scripts interpret each other", path)
	case interpreter == nil:
		return n.addLoader(f)
	}
	for _, program := range interpreter {
		found, err := n.resolve(program)
		if err == nil {
			err = n.add(found, depth-1)
		}
		if err != nil {
			return fmt.Errorf("%s: its interpreter: %w", path, err)
		}
	}
	return nil
}

// shebang returns the programs in the first line of a script, or nil if the file is
// not a script.
func shebang(f io.ReadSeeker) ([]string, error) {
	line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	line, script := strings.CutPrefix(line, "#!")
	words := strings.Fields(line)
	if !script || len(words) == 0 {
		return nil, nil
	}
	programs := words[:1:1]
	if filepath.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
				continue
			}
			path, err := Look(word)
			if err != nil {
				return nil, err
			}
			return append(programs, path), nil
		}
	}
	return programs, nil
}

// addLoader adds the loader of a dynamically linked program, and the system's
// libraries.
func (n *Needs) addLoader(f *os.File) error {
	program, err := elf.NewFile(withoutSections(f))
	if err != nil {
		return nil // not a program of this system: executing it gives a better error
	}
	for _, segment := range program.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		if segment.Filesz > 4096 {
			return nil // the system does not execute it
		}
		name, err := io.ReadAll(segment.Open())
		if err != nil {
			return err
		}
		loader, err := n.resolve(strings.TrimRight(string(name), "\x00"))
		if err != nil {
			return fmt.Errorf("its loader: %w", err)
		}
		n.Execute = append(n.Execute, loader)
		n.Read = append(n.Read, WithoutLinks(systemFolders)...)
		for _, pattern := range systemFiles {
			files, _ := filepath.Glob(pattern) // the patterns are well formed
			n.Read = append(n.Read, WithoutLinks(files)...)
		}
		return nil // the system ignores a second loader
	}
	return nil
}

// segments is an ELF file without its table of sections, which the system does not
// read either: it can have any length.
type segments struct {
	io.ReaderAt
	header []byte // of the file, without that table
}

// maxSegments is how long the system lets the table of segments be, in bytes.
const maxSegments = 1 << 16

func withoutSections(f io.ReaderAt) segments {
	header := make([]byte, unsafe.Sizeof(elf.Header64{}))
	n, _ := f.ReadAt(header, 0)
	if header = header[:n]; n < cap(header) {
		return segments{f, header} // too short for a program
	}
	var h32 elf.Header32
	var h64 elf.Header64
	if elf.Class(header[elf.EI_CLASS]) == elf.ELFCLASS64 {
		clear(header[unsafe.Offsetof(h64.Shoff):][:unsafe.Sizeof(h64.Shoff)])
		clear(header[unsafe.Offsetof(h64.Shnum):]) // and Shstrndx, the last field
	} else {
		clear(header[unsafe.Offsetof(h32.Shoff):][:unsafe.Sizeof(h32.Shoff)])
		clear(header[unsafe.Offsetof(h32.Shnum):unsafe.Sizeof(h32)])
	}
	return segments{f, header}
}

// ReadAt implements io.ReaderAt.
func (s segments) ReadAt(b []byte, offset int64) (int, error) {
	if len(b) > maxSegments {
		return 0, errors.New("its table of segments is too long")
	}
	n, err := s.ReaderAt.ReadAt(b, offset)
	if offset < int64(len(s.header)) {
		copy(b[:n], s.header[offset:])
	}
	return n, err
}

// installation returns the folder of a program that is installed with its own
// libraries, such as /opt/jdk for /opt/jdk/bin/java.
func installation(path string) []string {
	for _, prefix := range prefixes {
		below, ok := strings.CutPrefix(path, prefix+"/")
		first, rest, _ := strings.Cut(below, "/")
		if ok && strings.Contains("/"+rest, "/bin/") { // not any file, because an untrusted one can name it
			return []string{filepath.Join(prefix, first)}
		}
	}
	return nil
}

// ErrNotFound is the error of Look for a program that is not in Path.
var ErrNotFound = errors.New("not found")

// Look finds a program in Path.
func Look(name string) (string, error) {
	for _, folder := range filepath.SplitList(Path) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w in %s, where confined programs are looked for", name, ErrNotFound, Path)
}

// openRegular opens a regular file, without waiting for anything.
func openRegular(path string) (*os.File, error) {
	refused := &fs.PathError{Op: "execute", Path: path, Err: errors.New("it is not a regular file")}
	info, err := os.Stat(path) // first, because opening a device can have effects
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refused
	}
	// It can have been replaced since, by a named pipe without a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = refused
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Without returns paths without those that are forbidden or below a forbidden one. It
// replaces a folder that holds a forbidden path by the other entries of that folder,
// except links, which can lead anywhere. So a folder of the system can be permitted
// although the host's data is somewhere below it.
func Without(paths, forbidden []string) []string {
	var kept []string
	for _, path := range paths {
		switch real, err := filepath.EvalSymlinks(path); {
		case err != nil || Within(real, forbidden...):
		case !slices.ContainsFunc(forbidden, func(f string) bool { return Within(f, real) }):
			kept = append(kept, path)
		default:
			entries, err := os.ReadDir(real)
			if err != nil {
				continue
			}
			var below []string
			for _, e := range entries {
				if e.Type()&fs.ModeSymlink == 0 {
					below = append(below, filepath.Join(real, e.Name()))
				}
			}
			kept = append(kept, Without(below, forbidden)...)
		}
	}
	return kept
}
