package source

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"colosseum/internal/gamedir"
	"colosseum/sdk/script/symbols"
)

// listPackage lists the files of a Go package on any system, except tests: those
// that the compiler takes, and those that they embed. If the files have errors, the
// list can be incomplete; then the package can't be compiled.
func listPackage(f *gamedir.Folder) (content, error) {
	entries, err := f.List()
	if err != nil {
		return content{}, err
	}
	read := build.Default
	read.CgoEnabled, read.UseAllFiles = true, true
	read.JoinPath = path.Join
	read.HasSubdir = func(string, string) (string, bool) { return "", false } // it is in no GOPATH
	read.IsDir = func(name string) bool { return name == "." || f.IsFolder(name) }
	read.ReadDir = func(string) (infos []fs.FileInfo, err error) {
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				infos = append(infos, info)
			}
		}
		return infos, nil
	}
	read.OpenFile = func(name string) (io.ReadCloser, error) {
		text, err := f.Read(name, maxGoFile)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	p, _ := read.ImportDir(".", 0) // the compiler and the checker of scripts report errors
	c := content{folders: []string{"."}, imports: p.Imports}
	c.files = slices.Concat(p.GoFiles, p.CgoFiles, p.InvalidGoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles,
		p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
	c.files = slices.DeleteFunc(c.files, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) // an invalid one
	if len(p.EmbedPatterns) > 0 {
		err = f.Walk(func(name string, e fs.DirEntry) error {
			switch embedded := slices.ContainsFunc(p.EmbedPatterns, func(p string) bool { return embeds(p, name, e.IsDir()) }); {
			case e.IsDir() && !embedded:
				return fs.SkipDir
			case e.IsDir():
				c.folders = append(c.folders, name)
			case embedded:
				c.files = append(c.files, name)
			}
			return nil
		})
	}
	slices.Sort(c.files)
	c.files = slices.Compact(c.files)
	return c, err
}

// embeds reports whether a pattern of go:embed takes a file, or could take files
// of a folder.
func embeds(pattern, name string, folder bool) bool {
	pattern, all := strings.CutPrefix(pattern, "all:")
	want, has := strings.Split(pattern, "/"), strings.Split(name, "/")
	if pattern == "." {
		want = nil
	}
	n := min(len(want), len(has))
	if n < len(want) && !folder {
		return false
	}
	if ok, err := path.Match(path.Join(want[:n]...), path.Join(has[:n]...)); !ok || err != nil {
		return false
	}
	return all || !slices.ContainsFunc(has[n:], func(part string) bool { return part[0] == '.' || part[0] == '_' })
}

// imported is a package as go list describes it.
type imported struct {
	ImportPath, Dir string
	Standard        bool
	Imports         []string
}

// isSDK reports whether a package belongs to the SDK.
func isSDK(path string) bool { return path == symbols.SDK || strings.HasPrefix(path, symbols.SDK+"/") }

// importsOthers reports whether a version could also depend on imported packages,
// because some are outside of the standard library and the SDK. It knows only those
// packages of the standard library that most games import.
func importsOthers(imports []string) bool {
	return slices.ContainsFunc(imports, func(path string) bool {
		return !isSDK(path) && path != "embed" && !slices.ContainsFunc(symbols.Packages, func(p symbols.Package) bool { return p.Path == path })
	})
}

// otherPackages returns the packages outside of the standard library and the SDK that a
// game imports, directly or not, sorted by path. List is that of its packages.
func otherPackages(list []imported) (others []imported) {
	packages := map[string]imported{}
	var p imported // the game is the last one
	for _, p = range list {
		packages[p.ImportPath] = p
	}
	var add func(paths []string)
	add = func(paths []string) {
		for _, path := range paths {
			p, ok := packages[path]
			if !ok || p.Standard || isSDK(path) {
				continue
			}
			delete(packages, path)
			others = append(others, p)
			add(p.Imports)
		}
	}
	add(p.Imports)
	slices.SortFunc(others, func(a, b imported) int { return cmp.Compare(a.ImportPath, b.ImportPath) })
	return others
}

// packages lists the packages in some folders and all that these import, directly or
// not. Each package comes after those that it imports.
func (s Source) packages(ctx context.Context, compiler string, dirs ...string) (list []imported, err error) {
	out := &head{left: maxList}
	if err := s.run(ctx, compiler, out, append([]string{"list", "-deps", "-json=ImportPath,Dir,Standard,Imports"}, dirs...)...); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(out.String())); ; {
		var p imported
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
}

// packagesOf returns the part of a list that the package in a folder imports, directly or
// not, and that package as the last one; nil: it is not in the list.
func packagesOf(list []imported, dir string) (part []imported) {
	wanted := map[string]bool{}
	for _, p := range slices.Backward(list) {
		if p.Dir == dir {
			wanted[p.ImportPath] = true
		}
		if wanted[p.ImportPath] {
			part = append(part, p)
			for _, path := range p.Imports {
				wanted[path] = true
			}
		}
	}
	slices.Reverse(part)
	return part
}

// version returns the version of a compiled game. It calls list for the game's packages if
// the version depends on them.
func (s Source) version(ctx context.Context, list func() ([]imported, error)) (string, error) {
	type listed struct {
		content
		err error
	}
	// The imports can have changed since the folder was examined.
	now, err := gamedir.Visit(ctx, s.visits, func() listed {
		f, err := gamedir.Open(s.Dir)
		if err != nil {
			return listed{err: err}
		}
		defer f.Close()
		c, err := listPackage(f)
		return listed{c, err}
	})
	if err = cmp.Or(err, now.err); err != nil {
		return "", err
	}
	packages := []imported{{Dir: s.Dir}}
	if importsOthers(now.imports) {
		all, err := list()
		if err != nil {
			return "", err
		}
		packages = append(packages, otherPackages(all)...)
	}
	type hashed struct {
		version string
		err     error
	}
	h, err := gamedir.Visit(ctx, s.visits, func() hashed {
		version, err := hashPackages(packages)
		return hashed{version, err}
	})
	return h.version, cmp.Or(err, h.err)
}

// hashPackages returns the hash of the files of packages. That of a single package
// is the same as that of a script.
func hashPackages(packages []imported) (string, error) {
	all := sha256.New()
	for _, p := range packages {
		hash, err := hashPackage(p.Dir)
		if err != nil || len(packages) == 1 {
			return hash, err
		}
		fmt.Fprintf(all, "%q %s\n", p.ImportPath, hash)
	}
	return digits(all), nil
}

func hashPackage(dir string) (string, error) {
	f, err := gamedir.Open(dir)
	if err != nil {
		return "", err
	}
	defer f.Close()
	c, err := listPackage(f)
	if err != nil {
		return "", err
	}
	return hashFiles(f, c.files)
}
