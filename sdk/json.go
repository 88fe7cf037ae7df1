package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"colosseum/sdk/driver"
)

// maxJSON is the longest line that ParseJSON reads, in bytes.
const maxJSON = 64 << 10

// JSON returns a value as one line of JSON, for games whose lines are messages. Exported
// fields of structs become keys, by the rules of encoding/json. It panics for a value
// that JSON cannot express, such as a channel or an infinite number.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("sdk: JSON can't express the value: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ParseJSON reads the value to which v points from a line, such as a player's answer. It
// returns an error, which a player can read, unless the line is one JSON value of this
// type without unknown keys, and at most 64 KiB long. Keys that are missing
// leave their fields as they are; after an error, v can have changed. It panics if v is
// not a pointer.
func ParseJSON(line string, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic("sdk: ParseJSON wants a pointer to the value, like &move")
	}
	if len(line) > maxJSON {
		return fmt.Errorf("invalid JSON: it has more than %d bytes", maxJSON)
	}
	if kind := target.Elem().Kind(); strings.Trim(line, " \t\r\n") == "null" && kind != reflect.Pointer && kind != reflect.Interface {
		return fmt.Errorf("invalid JSON: the value is null, want %s", jsonType(target.Elem().Type())) // else it would change nothing
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		return errors.New("invalid JSON: more follows after the value")
	}
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		return fmt.Errorf("invalid JSON: %s is %s, want %s", field(other.Field), article(other.Value), jsonType(other.Type))
	case err == io.EOF:
		return errors.New("invalid JSON: it is empty")
	case err == io.ErrUnexpectedEOF:
		return errors.New("invalid JSON: its end is missing")
	}
	return fmt.Errorf("invalid JSON: %s", driver.Shorten(strings.TrimPrefix(err.Error(), "json: ")))
}

// field names the place of a value with the wrong type.
func field(path string) string {
	if path == "" {
		return "the value"
	}
	return driver.Shorten(path)
}

// article puts an article before what encoding/json calls the type of a value, such as
// number, number 1.5, string or bool.
func article(value string) string {
	if value == "array" || value == "object" {
		return "an " + value
	}
	return "a " + driver.Shorten(value)
}

// jsonType names the values that fit a type.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that fits"
	case reflect.Float32, reflect.Float64:
		return "a number that fits"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	default:
		return "an object"
	}
}
