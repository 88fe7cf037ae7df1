package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// epoch is the time of all files in an archive, so that the same source gives the
// same archive. Zip files can't have an earlier one.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// adder adds a file to an archive and returns the writer of its content.
type adder func(name string, info fs.FileInfo) (io.Writer, error)

// tarGz packs a folder under its own name into a tar.gz file.
func tarGz(folder, to string) error { return tarAt(gzip.DefaultCompression, folder, to) }

// tarAt is tarGz with a compression level of package gzip.
func tarAt(level int, folder, to string) error {
	return pack(folder, to, func(w io.Writer) (add adder, done func() error) {
		zipper, _ := gzip.NewWriterLevel(w, level) // fails only for an unknown level
		t := tar.NewWriter(zipper)
		return func(name string, info fs.FileInfo) (io.Writer, error) {
			return t, t.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: int64(mode(info)), ModTime: epoch, Typeflag: tar.TypeReg})
		}, func() error { return errors.Join(t.Close(), zipper.Close()) }
	})
}

// zipped is tarGz for a zip file, which Windows can open.
func zipped(folder, to string) error {
	return pack(folder, to, func(w io.Writer) (add adder, done func() error) {
		z := zip.NewWriter(w)
		return func(name string, info fs.FileInfo) (io.Writer, error) {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
			h.SetMode(mode(info))
			return z.CreateHeader(h)
		}, z.Close
	})
}

// publish writes a file that others can read, whatever the umask.
func publish(path string, content []byte) error {
	return errors.Join(os.WriteFile(path, content, 0o644), os.Chmod(path, 0o644))
}

// readable gives a folder and all in it the modes of an archive, whatever the umask.
func readable(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, mode(info))
	})
}

// mode returns the mode of a file in an archive, which no umask changes.
func mode(info fs.FileInfo) fs.FileMode {
	if info.Mode()&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

func pack(folder, to string, open func(w io.Writer) (add adder, done func() error)) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := out.Chmod(0o644); err != nil { // whatever the umask is
		return err
	}
	add, done := open(out)
	root := os.DirFS(filepath.Dir(folder))
	err = fs.WalkDir(root, filepath.Base(folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		w, err := add(path, info)
		if err != nil {
			return err
		}
		in, err := root.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
	return errors.Join(err, done())
}
