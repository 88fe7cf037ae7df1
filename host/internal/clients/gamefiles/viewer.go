package gamefiles

import (
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
	return v.text, v.tag, f.forPeople(err, o, "a viewer", ViewerFile)
}

// ViewerTag returns the ETag of the viewer of a game; empty: it has none that can be read.
func (f *Files) ViewerTag(o *catalog.Offer) (etag string) {
	etag, _ = look(f, o, func(folder *gamedir.Folder) (string, error) { // empty on an error
		info, err := folder.Stat(ViewerFile)
		if err != nil || info.Size() > maxViewer {
			return "", nil
		}
		return tag(info), nil
	})
	return etag
}
