package build

import (
	"fmt"
	"io"
	"os"
	"path"
)

// maxDepth is how many folders Remove has open at once.
const maxDepth = 50

// Remove removes the folder of a build. The build can have made it as difficult as it can:
// with folders that nobody can read, and nested deeper than a path can be long.
func Remove(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	top, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	r := remover{top: top}
	err = r.empty(top, ".", 0)
	_ = top.Close()
	if err != nil {
		return err
	}
	return os.RemoveAll(folder)
}

type remover struct {
	top   *os.Root
	moved int
}

// empty removes all that is in a folder, whose path is that below the top. It moves
// folders that are too deep to the top.
func (r *remover) empty(dir *os.Root, below string, depth int) error {
	for {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		names, err := f.Readdirnames(100)
		_ = f.Close()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := r.remove(dir, below, name, depth); err != nil {
				return err
			}
		}
	}
}

func (r *remover) remove(dir *os.Root, below, name string, depth int) error {
	if dir.Remove(name) == nil { // a file or an empty folder
		return nil
	}
	if depth >= maxDepth {
		r.moved++
		return r.top.Rename(path.Join(below, name), fmt.Sprintf("moved-%d", r.moved))
	}
	if err := dir.Chmod(name, 0o700); err != nil {
		return err
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	err = r.empty(sub, path.Join(below, name), depth+1)
	_ = sub.Close()
	if err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return err
	}
	return nil
}
