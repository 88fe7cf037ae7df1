package gamefiles

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/png"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// Limits of the picture of a game. Its size is that of link previews.
const (
	maxPicture    = 256 << 10 // bytes
	PictureWidth  = 640
	PictureHeight = 336
)

// Picture returns the picture that a game's folder has now.
func (f *Files) Picture(o *catalog.Offer) (*Picture, error) {
	if o.Dir == "" || o.Picture == "" {
		return nil, errors.New("it has no file for one")
	}
	f.mu.Lock()
	last := f.pictures[o.Name]
	f.mu.Unlock()
	p, err := look(f, o, func(folder *gamedir.Folder) (*Picture, error) { return readPicture(folder, o, last) })
	if err != nil {
		return nil, f.forPeople(err, o, "a picture", o.Picture)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pictures[o.Name] = p
	return p, nil
}

// readPicture reads and checks the picture of a game, unless the file is as it was for
// the last one.
func readPicture(folder *gamedir.Folder, o *catalog.Offer, last *Picture) (*Picture, error) {
	info, err := folder.Stat(o.Picture)
	if err != nil {
		return nil, err
	}
	stamp := fmt.Sprintf("%s %s %x %x", o.Dir, o.Picture, info.ModTime().UnixNano(), info.Size())
	if last != nil && last.stamp == stamp {
		return last, nil
	}
	b, err := folder.Read(o.Picture, maxPicture)
	if err != nil {
		return nil, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(b))
	switch {
	case err != nil:
		return nil, &gamedir.Refused{Name: o.Picture, Why: "it is not a PNG image"}
	case size.Width != PictureWidth || size.Height != PictureHeight:
		return nil, &gamedir.Refused{Name: o.Picture, Why: fmt.Sprintf("it has %d×%d pixels: make it %d×%d", size.Width, size.Height, PictureWidth, PictureHeight)}
	}
	return &Picture{PNG: b, Hash: fmt.Sprintf("%x", sha256.Sum256(b))[:16], stamp: stamp}, nil
}
