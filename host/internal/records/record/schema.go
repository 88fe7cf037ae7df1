package record

import (
	_ "embed"
	"slices"
)

//go:embed match.schema.json
var schema []byte

// Schema returns the JSON Schema of a transcript (draft 2020-12).
func Schema() []byte { return slices.Clone(schema) }
