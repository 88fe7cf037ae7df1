// Package export writes the records of a span of time into a folder that others can check:
// compressed lines, the schema of a line, and a manifest with their hashes, which can be
// signed.
package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
)

// Format is the value of the key "format" in a manifest.
const Format = "colosseum-export-1"

// Names of files in an export.
const (
	ManifestFile  = "manifest.json"
	SignatureFile = "manifest.sig" // the 64 bytes of an Ed25519 signature of the manifest
	SchemaFile    = "match.schema.json"
)

// MaxManifest is the most bytes of a manifest.
const MaxManifest = 4 << 20

// Manifest describes an export. docs/data.md has the format.
type Manifest struct {
	Format  string           `json:"format"`
	Host    string           `json:"host,omitempty"` // its public address; empty: it is not known
	Created time.Time        `json:"created"`
	Since   time.Time        `json:"since"` // the matches ended from Since, and before Until
	Until   time.Time        `json:"until"`
	Game    string           `json:"game,omitempty"` // empty: all
	Lines   string           `json:"lines"`          // record.TranscriptFormat
	Matches int64            `json:"matches"`
	Games   map[string]int64 `json:"games"` // the matches of each
	Files   []File           `json:"files"`
	Key     []byte           `json:"key,omitempty"` // the Ed25519 key of the signature, 32 bytes; nil: it is not signed
}

// File is a file of an export.
type File struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`            // in hexadecimal
	Matches int64  `json:"matches,omitempty"` // the lines; 0: it has no matches
	Plain   int64  `json:"plain_bytes,omitempty"`
}

// fileName matches the names of files in an export.
var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// sum matches a SHA-256.
var sum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseManifest returns the manifest in a text. It refuses one with unknown keys, which a
// newer release has written, and one that contradicts itself.
func ParseManifest(text []byte) (*Manifest, error) {
	if len(text) > MaxManifest {
		return nil, fmt.Errorf("%s has more than %d bytes", ManifestFile, MaxManifest)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is more after its end", ManifestFile)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	return &m, nil
}

func (m *Manifest) check() error {
	if m.Format != Format {
		return fmt.Errorf("its format is %q, not %q", m.Format, Format)
	}
	var matches, ofGames int64
	seen := map[string]bool{ManifestFile: true, SignatureFile: true}
	for _, f := range m.Files {
		switch {
		case !fileName.MatchString(f.Name):
			return fmt.Errorf("%q is not the name of a file of an export", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("it has %s twice", f.Name)
		case !sum.MatchString(f.SHA256):
			return fmt.Errorf("%s: %q is not a SHA-256", f.Name, f.SHA256)
		case f.Bytes < 0 || f.Matches < 0 || f.Plain < 0:
			return fmt.Errorf("%s has a negative number", f.Name)
		}
		seen[f.Name] = true
		matches += f.Matches
	}
	for _, n := range m.Games {
		ofGames += n
	}
	if matches != m.Matches || ofGames != m.Matches {
		return fmt.Errorf("it has %d matches, but its files have %d and its games %d", m.Matches, matches, ofGames)
	}
	return nil
}

// encode returns a manifest as it is written.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil && len(text) >= MaxManifest {
		err = errors.New("the manifest would be too long: export a shorter time")
	}
	return append(text, '\n'), err
}
