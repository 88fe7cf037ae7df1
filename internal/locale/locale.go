// Package locale holds the translations of texts for people. Texts are written in English in
// the code; each other language has a file with a translation of each text.
package locale

import (
	"embed"
	"strings"
)

//go:embed *.json
var files embed.FS

// Files returns the file of each language by its code, such as "it".
func Files() map[string][]byte {
	all := map[string][]byte{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err) // the files are embedded
		}
		all[strings.TrimSuffix(e.Name(), ".json")] = text
	}
	return all
}
