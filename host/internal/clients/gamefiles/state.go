package gamefiles

import (
	"fmt"
	"os"
	"path/filepath"

	"colosseum/host/internal/games/catalog"
)

// State returns a text that changes when a viewer or a picture is added, removed or
// changed, or an example player is added or removed. It opens no file.
func (f *Files) State(offers []*catalog.Offer) string {
	var state []byte
	for _, o := range offers {
		if o.Dir == "" {
			continue
		}
		files, _ := visit(f, o, func() (text []byte, _ error) { // nil if the folder does not answer
			for _, file := range []string{ViewerFile, o.Picture} {
				if info, err := os.Stat(filepath.Join(o.Dir, file)); err == nil && file != "" {
					text = fmt.Appendf(text, "%s %s %d %d %d\n", o.Name, file, info.Mode(), info.Size(), info.ModTime().UnixNano())
				}
			}
			for _, folder := range []string{playersFolder, filepath.Join(playersFolder, o.Name)} {
				if info, err := os.Stat(filepath.Join(o.Dir, folder)); err == nil {
					text = fmt.Appendf(text, "%s %s %d %d\n", o.Name, folder, info.Mode(), info.ModTime().UnixNano())
				}
			}
			return text, nil
		})
		state = append(state, files...)
	}
	return string(state)
}
