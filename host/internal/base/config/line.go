package config

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// mistake is an error in the value of a key, such as lobby.matches.
type mistake struct {
	key string
	err error
}

func (m *mistake) Error() string { return m.err.Error() }
func (m *mistake) Unwrap() error { return m.err }

// wrong returns a mistake. The text must name the key.
func wrong(key, format string, args ...any) error { return &mistake{key, fmt.Errorf(format, args...)} }

// place adds a line number to a mistake: that of its key in the file, or of the
// innermost section around the key.
func place(err error, file []byte) error {
	var m *mistake
	var document yaml.Node
	if !errors.As(err, &m) || yaml.Unmarshal(file, &document) != nil || len(document.Content) == 0 {
		return err
	}
	if line := lineOf(document.Content[0], m.key); line > 0 {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

// lineOf returns the line of a key below a node, or of the innermost section around
// the key; 0: there is neither.
func lineOf(n *yaml.Node, key string) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return 0
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Value == key {
			return name.Line
		}
		if rest, ok := strings.CutPrefix(key, name.Value+"."); ok {
			return max(name.Line, lineOf(value, rest))
		}
	}
	return 0
}
