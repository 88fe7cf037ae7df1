package gamefiles

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"unicode/utf8"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// maxPlayer is the largest example player, in bytes.
const maxPlayer = 64 << 10

// playersFolder is the folder of example players in a game's folder. A subfolder has
// those of a game that the configuration offers under its name.
const playersFolder = "players"

// Player is an example player.
type Player struct {
	Language string // as people call it
	File     string // its name, without a folder
}

// all are the example players that a game can have, in the order in which pages show them.
var all = []Player{
	{"Python", "player.py"}, {"C", "player.c"}, {"Go", "player.go"}, {"JavaScript", "player.js"}, {"Java", "Player.java"},
}

// errNotText is the error of a file that no browser can show.
var errNotText = errors.New("it is not valid UTF-8")

// readPlayer reads an example player from a game's folder. Only files from the list all can
// be read.
func readPlayer(folder *gamedir.Folder, o *catalog.Offer, name string) (p file, err error) {
	if !slices.ContainsFunc(all, func(p Player) bool { return p.File == name }) {
		return p, fs.ErrNotExist
	}
	where := path.Join(playersFolder, name)
	if own := path.Join(playersFolder, o.Name); folder.IsFolder(own) {
		where = path.Join(own, name)
	}
	info, err := folder.Stat(where)
	if err != nil {
		return p, err
	}
	p.tag = tag(info)
	if p.text, err = folder.Read(where, maxPlayer); err == nil && !utf8.Valid(p.text) {
		err = errNotText
	}
	return p, err
}

// Players returns the example players of a game that can be read.
func (f *Files) Players(o *catalog.Offer) []Player {
	found, _ := look(f, o, func(folder *gamedir.Folder) (found []Player, _ error) { // none on an error
		for _, p := range all {
			if _, err := readPlayer(folder, o, p.File); err == nil {
				found = append(found, p)
			}
		}
		return found, nil
	})
	return found
}

// Player returns an example player of a game, given the name of its file, and its ETag.
func (f *Files) Player(o *catalog.Offer, name string) (text []byte, etag string, err error) {
	p, err := look(f, o, func(folder *gamedir.Folder) (file, error) { return readPlayer(folder, o, name) })
	_, refused := errors.AsType[*gamedir.Refused](err)
	switch {
	case err == nil, refused, errors.Is(err, errNotText), errors.Is(err, gamedir.ErrSilent):
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("there is no such file: /api/games/" + o.Name + " lists them")
	default:
		f.log.Error("could not read an example player", "game", o.Name, "file", name, "error", err)
		err = errors.New("could not read it")
	}
	return p.text, p.tag, err
}
