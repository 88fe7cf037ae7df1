//go:build unix

package player

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"colosseum/internal/locale"
)

// pipes holds the two named pipes of a match, in a folder that only the user can open.
type pipes struct {
	folder string
	in     string // path; the player reads from it
	out    string // path; the player writes to it; empty for a spectator

	mu    sync.Mutex // guards the field below
	spare *os.File   // writing end of out, see open
}

func makePipes(spectate bool) (*pipes, error) {
	folder, err := os.MkdirTemp("", "coco-")
	if err != nil {
		return nil, locale.Errorf("cannot create a folder for the pipes: %w", err)
	}
	p := &pipes{folder: folder, in: filepath.Join(folder, "in")}
	err = syscall.Mkfifo(p.in, 0o600)
	if !spectate && err == nil {
		p.out = filepath.Join(folder, "out")
		err = syscall.Mkfifo(p.out, 0o600)
	}
	if err != nil {
		p.remove()
		return nil, locale.Errorf("cannot create a pipe: %w", err)
	}
	return p, nil
}

// open waits until the player has opened its ends of the pipes, in any order, and
// returns coco's ends; out is nil for a spectator.
func (p *pipes) open(ctx context.Context) (in, out *os.File, err error) {
	type end struct {
		file *os.File
		err  error
		out  bool
	}
	ends := make(chan end, 2) // full: never, there are two pipes
	open := func(path string, mode int, out bool) {
		// Blocks until the other end is opened: by the player, or below.
		file, err := os.OpenFile(path, mode, 0)
		ends <- end{file, err, out}
	}
	waiting := 1
	go open(p.in, os.O_WRONLY, false)
	if p.out != "" {
		waiting++
		go open(p.out, os.O_RDONLY, true)
	}
	var keys []*os.File
	defer func() { closeAll(keys...) }()
	giveUp := func(why error) {
		err = why
		for _, path := range []string{p.in, p.out} {
			// Opening both ends does not block, and wakes the openers above.
			if key, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
				keys = append(keys, key)
			}
		}
	}
	for cancelled := ctx.Done(); waiting > 0; {
		select {
		case e := <-ends:
			waiting--
			switch {
			case e.err != nil:
				giveUp(locale.Errorf("cannot open a pipe: %w", e.err))
			case e.out:
				out = e.file
			default:
				in = e.file
			}
		case <-cancelled:
			cancelled = nil
			giveUp(context.Cause(ctx))
		}
	}
	if err == nil && out != nil {
		// A player can open its output again for each move (echo ROCK >
		// $COCO_PIPEOUT). coco keeps a writing end open too, so that the output does
		// not end when the player closes its own.
		spare, spareErr := os.OpenFile(p.out, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err = spareErr; err == nil {
			p.mu.Lock()
			p.spare = spare
			p.mu.Unlock()
		}
	}
	if err != nil {
		closeAll(in, out)
		return nil, nil, err
	}
	return in, out, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// endOutput closes the spare end, so that the output ends when the player has
// closed it.
func (p *pipes) endOutput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spare != nil {
		p.spare.Close()
		p.spare = nil
	}
}

func (p *pipes) remove() {
	p.endOutput()
	os.RemoveAll(p.folder)
}
