package locale

import (
	"errors"
	"fmt"
)

// Word is a value in a text that is translated if it is a key, such as a text of a host.
type Word string

// Text is an English text with the values in it, which can be translated where it is
// printed. It is an error.
type Text struct {
	english error
	format  string
	args    []any
}

// Errorf returns a Text. It is as fmt.Errorf for one %w.
func Errorf(format string, args ...any) *Text {
	return &Text{fmt.Errorf(format, args...), format, args}
}

func (t *Text) Error() string         { return t.english.Error() }
func (t *Text) Unwrap() error         { return errors.Unwrap(t.english) }
func (t *Text) In(l *Language) string { return l.Sprintf(t.format, t.args...) }
