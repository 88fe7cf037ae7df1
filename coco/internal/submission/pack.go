// Package submission packs programs that are handed in, and follows their builds.
package submission

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"colosseum/internal/locale"
)

// maxProgram limits what is handed in, in bytes, whatever the host accepts: it is held in
// memory.
const maxProgram = 256 << 20

// leftOut are files and folders that belong to a system or to tools, and not to a program.
var leftOut = []string{".git", "__MACOSX", ".DS_Store", "node_modules", "__pycache__"}

var errTooLong = errors.New("too long")

// Read returns a program to be handed in, and the name of its file. A folder is packed as a
// zip, without its own name and without what is left out; a file is returned as it is. It
// is an error if the program has more than most bytes; 0: the host does not say how many.
func Read(path string, most int64) (name string, program []byte, err error) {
	if most <= 0 || most > maxProgram {
		most = maxProgram
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	name = filepath.Base(path)
	switch {
	case info.IsDir():
		name += ".zip"
		program, err = pack(path, most)
	case info.Mode().IsRegular():
		program, err = readFile(path, most)
	default:
		err = locale.Errorf("%s is neither a folder nor a regular file", path)
	}
	if errors.Is(err, errTooLong) {
		err = locale.Errorf("%s is too long: the server takes at most %d bytes", name, most)
	}
	return name, program, err
}

func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	program, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(program)) > most:
		return nil, errTooLong
	case len(program) == 0:
		return nil, locale.Errorf("%s is empty", path)
	}
	return program, nil
}

// pack returns a zip of the regular files in a folder. Files have no times, so that the
// same files are always packed into the same bytes.
func pack(folder string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	packed, files := &limited{left: most}, 0
	z := zip.NewWriter(packed)
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		at := filepath.Join(folder, filepath.FromSlash(path))
		switch {
		case err != nil:
			return err
		case path != "." && slices.Contains(leftOut, d.Name()) && d.IsDir():
			return fs.SkipDir
		case d.IsDir(), slices.Contains(leftOut, d.Name()):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return locale.Errorf("%s is a link, which cannot be handed in: put the file itself there", at)
		case !d.Type().IsRegular():
			return locale.Errorf("%s is not a regular file", at)
		}
		files++
		return add(z, root, path, d)
	})
	if err == nil {
		err = z.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case files == 0:
		return nil, locale.Errorf("%s has no files", folder)
	}
	return packed.Bytes(), nil
}

// add adds a file to a zip. Of its mode, only whether it can be executed is kept.
func add(z *zip.Writer, root *os.Root, path string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: path, Method: zip.Deflate}
	header.SetMode(0o644 | info.Mode()&0o111)
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// limited is a buffer of bounded size.
type limited struct {
	bytes.Buffer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, errTooLong
	}
	return l.Buffer.Write(b)
}
