package gamefiles

import (
	"errors"
	"io/fs"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// ViewerFile is the file of a viewer in its game's folder.
const ViewerFile = "viewer.js"

// maxViewer is the largest viewer, in bytes.
const maxViewer = 256 << 10

// Viewer returns the viewer of a game and its ETag. Text is nil if known reports that the
// client has it already.
func (f *Files) Viewer(o *catalog.Offer, known func(etag string) bool) (text []byte, etag string, err error) {
	v, err := look(f, o, func(folder *gamedir.Folder) (v file, err error) {
		info, err := folder.Stat(ViewerFile)
		if err != nil {
			return v, err
		}
		v.tag = tag(info)
		if !known(v.tag) {
			v.text, err = folder.Read(ViewerFile, maxViewer)
		}
		return v, err
	})
	_, refused := errors.AsType[*gamedir.Refused](err)
	switch {
	case err == nil, refused, errors.Is(err, gamedir.ErrSilent):
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("it has no " + ViewerFile)
	default:
		f.log.Error("could not read a viewer", "game", o.Name, "error", err)
		err = errors.New("could not read its " + ViewerFile)
	}
	return v.text, v.tag, err
}

// HasViewer reports whether a game has a viewer that can be read.
func (f *Files) HasViewer(o *catalog.Offer) bool {
	ok, _ := look(f, o, func(folder *gamedir.Folder) (bool, error) { // false on an error
		info, err := folder.Stat(ViewerFile)
		return err == nil && info.Size() <= maxViewer, nil
	})
	return ok
}
