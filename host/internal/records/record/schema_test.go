package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validator checks values with the schema.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("match.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("match.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTranscriptsFitTheSchema(t *testing.T) {
	s := validator(t)
	whole := sample()
	contest := whole
	contest.Fixture = &Fixture{Contest: "cup", Pairing: 3, Leg: 1, Entries: []int{0, 40}, Attempt: 2}
	bare := Match{Started: whole.Started, Ended: whole.Ended, State: Aborted, Seats: []Seat{{Name: "ann", Ended: "aborted"}}}
	for name, r := range map[string]*Match{"whole": &whole, "of a contest": &contest, "bare": &bare} {
		line, err := EncodeTranscript(r)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOldTranscriptsStayValid has lines that earlier releases have written. Never change
// them; add others.
func TestOldTranscriptsStayValid(t *testing.T) {
	s := validator(t)
	text, err := os.ReadFile(filepath.Join("testdata", "transcripts.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
		if _, err := DecodeTranscript([]byte(line)); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
	if len(lines) < 2 {
		t.Errorf("got %d lines, want some", len(lines))
	}
}

func TestWrongTranscriptsDoNotFitTheSchema(t *testing.T) {
	s := validator(t)
	r := sample()
	line, err := EncodeTranscript(&r)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"format":"colosseum-match-1"`, `"format":"colosseum-match-2"`}, {`"seed":"`, `"seed":"x`}, {`"state":"finished"`, `"state":"over"`},
		{`"seats":[`, `"seats":[7,`}, {`"score":1.5`, `"score":"1.5"`}, {`"rank":1`, `"rank":-1`}, {`"verified":true`, `"verified":1`},
		{`"answers":[`, `"answers":[{},`}, {`"id":`, `"identity":`}, {`"started":"2026`, `"started":"x2026`}, {`"base64":`, `"base65":`},
	} {
		changed := strings.Replace(string(line), change[0], change[1], 1)
		if changed == string(line) {
			t.Fatalf("%s does not have %s", line, change[0])
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(v) == nil {
			t.Errorf("with %s: got no error, want one", change[1])
		}
	}
}

// TestSchemaDescribesEachKey compares the schema with the types that are written.
func TestSchemaDescribesEachKey(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	resolve := func(v any) map[string]any {
		schema := v.(map[string]any)
		if ref, ok := schema["$ref"].(string); ok {
			for key, v := range root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any) {
				schema[key] = v
			}
		}
		return schema
	}
	var check func(schema map[string]any, typ reflect.Type, where string)
	check = func(schema map[string]any, typ reflect.Type, where string) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
			check(resolve(schema["items"]), typ.Elem(), where+"[]")
		case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
			properties, _ := schema["properties"].(map[string]any)
			for i := range typ.NumField() {
				key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
				property, ok := properties[key]
				if !ok {
					t.Errorf("match.schema.json does not describe %s.%s, want each key of a transcript", where, key)
					continue
				}
				check(resolve(property), typ.Field(i).Type, where+"."+key)
			}
		}
	}
	check(root, reflect.TypeFor[transcript](), "")
}
