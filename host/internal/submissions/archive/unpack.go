package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of every archive, whatever its limits.
const (
	maxEntries = 100_000 // with those that are left out
	maxName    = 255     // bytes of a part of a path, as in most file systems
	freeBytes  = 1 << 20 // for which no ratio counts
)

// leftOut are files and folders that no program needs: those of systems, editors and
// version control, and what package managers and interpreters create again.
var leftOut = []string{
	"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".hg", ".svn", ".idea", ".vscode",
	"node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache",
}

// others are archives that can't be unpacked, by their first bytes.
var others = map[string]string{
	"Rar!": "rar", "7z\xbc\xaf": "7z", "\xfd7zXZ": "xz", "BZh": "bzip2", "\x28\xb5\x2f\xfd": "zstd",
}

// Unpack returns the files of a zip, a tar, a tar.gz, or of one source file in UTF-8 with
// the given name. It is recognised by its bytes. A folder that holds everything else is
// removed from the paths. Left are the paths of files and folders that were left out. All
// errors are an *Error.
func Unpack(name string, b []byte, l Limits) (t Tree, left []string, err error) {
	c := collector{limits: l, packed: int64(len(b)), drop: true}
	switch {
	case bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("PK\x05\x06")):
		err = c.zip(b)
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		err = c.tarGz(b)
	case len(b) > 262 && string(b[257:262]) == "ustar":
		err = c.tar(bytes.NewReader(b))
	default:
		for magic, kind := range others {
			if bytes.HasPrefix(b, []byte(magic)) {
				return nil, nil, errorf("it is a %s archive: pack a zip, a tar or a tar.gz instead", kind)
			}
		}
		if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
			return nil, nil, errorf("it is neither a zip, a tar or a tar.gz nor one source file in UTF-8")
		}
		c.drop = false
		err = c.add(path.Base(strings.ReplaceAll(name, `\`, "/")), false, bytes.NewReader(b))
	}
	if err == nil {
		c.strip()
		t, err = c.tree()
	}
	if wrong := (*Error)(nil); err != nil && !errors.As(err, &wrong) {
		err = errorf("it can't be unpacked: %v", err)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(c.left)
	return t, slices.Compact(c.left), nil
}

// collector collects the files of a tree.
type collector struct {
	limits Limits
	packed int64 // length of the archive
	drop   bool  // leaves out what no program needs
	files  Tree
	left   []string
	bytes  int64 // of all files
}

// name returns a path as it is in a tree, or "" if it is left out.
func (c *collector) name(raw string) (string, error) {
	parts := strings.Split(strings.TrimPrefix(raw, "./"), "/")
	for i, part := range parts {
		if c.drop && (slices.Contains(leftOut, part) || strings.HasPrefix(part, "._")) {
			if above := strings.Join(parts[:i+1], "/"); utf8.ValidString(above) && fs.ValidPath(above) {
				c.left = append(c.left, above)
				return "", nil
			}
		}
	}
	name := path.Clean(raw)
	switch most := c.limits.Path; {
	case !utf8.ValidString(raw):
		return "", errorf("the name %s is not in UTF-8", quote(raw))
	case strings.HasPrefix(raw, "/") || slices.Contains(parts, "..") || name == "." || !fs.ValidPath(name):
		return "", errorf("the name %s leads out of the archive", quote(raw))
	case strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == utf8.RuneError }):
		return "", errorf("the name %s has a character that names of files can't have", quote(raw))
	case most > 0 && len(name) > most:
		return "", errorf("the path %s has more than %d bytes", quote(raw), most)
	case slices.ContainsFunc(parts, func(part string) bool { return len(part) > maxName }):
		return "", errorf("the name %s is longer than %d bytes", quote(raw), maxName)
	}
	return name, nil
}

// add adds a regular file, unless it is left out.
func (c *collector) add(raw string, executable bool, content io.Reader) error {
	name, err := c.name(raw)
	if name == "" {
		return err
	}
	if most := c.limits.Files; most > 0 && len(c.files) >= most {
		return errorf("it has more than %d files", most)
	}
	most := int64(1) << 62
	if c.limits.Bytes > 0 {
		most = c.limits.Bytes
	}
	ratio := most
	if c.limits.Ratio > 0 {
		ratio = max(freeBytes, c.limits.Ratio*c.packed)
	}
	data, err := io.ReadAll(io.LimitReader(content, min(most, ratio)-c.bytes+1))
	if err != nil {
		return err
	}
	switch c.bytes += int64(len(data)); {
	case c.bytes > most:
		return errorf("its files have more than %d bytes", most)
	case c.bytes > ratio:
		return errorf("its files are more than %d times as long as the archive", c.limits.Ratio)
	}
	c.files = append(c.files, File{name, executable, data})
	return nil
}

func (c *collector) zip(b []byte) error {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	if len(z.File) > maxEntries {
		return errorf("it has more than %d entries", maxEntries)
	}
	for _, f := range z.File {
		raw := strings.ReplaceAll(f.Name, `\`, "/") // some programs for Windows write these
		mode := f.Mode()
		if mode.IsDir() || strings.HasSuffix(raw, "/") {
			continue
		}
		switch name, err := c.name(raw); {
		case err != nil:
			return err
		case name == "":
			continue // not even opened
		case !mode.IsRegular():
			return errorf("%s is a link or a device: an archive can have only files and folders", quote(raw))
		case f.Flags&1 != 0:
			return errorf("%s is encrypted: pack it without a password", quote(raw))
		}
		content, err := f.Open()
		if err != nil {
			return err
		}
		err = c.add(raw, mode&0o111 != 0, content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) tarGz(b []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	var stream io.Reader = z
	if c.limits.Ratio > 0 { // counts what is left out, too
		most := max(freeBytes, c.limits.Ratio*int64(len(b))) + freeBytes
		stream = &bounded{z, most, errorf("it is more than %d times as long when it is unpacked", c.limits.Ratio)}
	}
	return c.tar(stream)
}

// bounded is a reader that fails after a number of bytes.
type bounded struct {
	io.Reader
	left int64
	err  error
}

func (r *bounded) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, r.err
	}
	n, err := r.Reader.Read(b[:min(int64(len(b)), r.left)])
	r.left -= int64(n)
	return n, err
}

func (c *collector) tar(stream io.Reader) error {
	r := tar.NewReader(stream)
	for range maxEntries {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			err = c.add(h.Name, h.Mode&0o111 != 0, r)
		case tar.TypeDir, tar.TypeXGlobalHeader:
			err = nil
		default:
			if name, _ := c.name(h.Name); name != "" {
				return errorf("%s is a link or a device: an archive can have only files and folders", quote(h.Name))
			}
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return errorf("it has more than %d entries", maxEntries)
}

// strip removes a folder that holds all files from their paths.
func (c *collector) strip() {
	top := ""
	for i, f := range c.files {
		first, _, below := strings.Cut(f.Path, "/")
		if !below || i > 0 && first != top {
			return
		}
		top = first
	}
	for i := range c.files {
		c.files[i].Path = strings.TrimPrefix(c.files[i].Path, top+"/")
	}
}

// tree returns the files in order, if there are any, and no two of them have names that
// are the same on some systems.
func (c *collector) tree() (Tree, error) {
	if len(c.files) == 0 {
		return nil, errorf("it has no files")
	}
	slices.SortFunc(c.files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	files, folders := map[string]string{}, map[string]string{}
	for _, f := range c.files {
		key := strings.ToLower(f.Path)
		if other, ok := files[key]; ok {
			return nil, errorf("%s and %s have the same name", quote(other), quote(f.Path))
		}
		files[key] = f.Path
		for folder := path.Dir(key); folder != "."; folder = path.Dir(folder) {
			folders[folder] = f.Path
		}
	}
	for _, f := range c.files {
		if below, ok := folders[strings.ToLower(f.Path)]; ok {
			return nil, errorf("%s is a file, but %s is in a folder of that name", quote(f.Path), quote(below))
		}
	}
	return c.files, nil
}
