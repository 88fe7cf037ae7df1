//go:build unix

package engine

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// described is a connection over which a game answers with an encoded description.
type described []byte

func (d described) Invoke(_ context.Context, _ string, _, reply any, _ ...grpc.CallOption) error {
	return proto.Unmarshal(d, reply.(proto.Message))
}

func (described) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.ErrUnsupported
}

// A description that is accepted has parameters whose defaults are valid.
func FuzzDescription(f *testing.F) {
	params := []*pb.Param{
		{Name: "rounds", Description: "number of rounds", Kind: pb.Param_INT, Min: 1, Max: 9, DefaultValue: "5"},
		{Name: "pace", Kind: pb.Param_FLOAT, Min: -1e308, Max: 1e308, DefaultValue: "0.5"},
		{Name: "level", Kind: pb.Param_CHOICE, Choices: []string{"strong", "weak"}, DefaultValue: "strong"},
		{Name: "start", Description: "start position", Kind: pb.Param_TEXT, Max: 100}, {Name: "start", Description: "start position", Kind: pb.Param_TEXT},
		{Name: "", Kind: 7}, {Name: "a", Kind: pb.Param_INT, DefaultValue: "05"}, nil,
	}
	for n := range params {
		bytes, err := proto.Marshal(&pb.Description{Name: "odd", Title: "Odd", MinPlayers: 1, MaxPlayers: 2, MaxBots: 1, Timeout: 1, Params: params[n : n+1]})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		g := &Game{remote: wire.NewClient(described(bytes))}
		if _, err := g.describe(t.Context()); err != nil {
			return
		}
		known := g.Description()
		for _, p := range known.Params {
			if norm, err := p.Normalize(p.Default); err != nil || norm != p.Default {
				t.Errorf("%+v: its default becomes %q, error %v, want itself", p, norm, err)
			}
			if !regexp.MustCompile(p.Regex()).MatchString(p.Default) {
				t.Errorf("%+v: got the default %q, want one that matches %s", p, p.Default, p.Regex())
			}
		}
	})
}

// Any output of a child, in any pieces, is logged in lines of valid text.
func FuzzOutput(f *testing.F) {
	f.Add("one\ntwo\r\n\xff", 3)
	f.Add("\n\n", 1)
	f.Add(strings.Repeat("x", maxLogLine+10)+"\ny", 4096)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(size, 1)
		var pieces []string
		for rest := text; len(rest) > 0; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		_, c := logOf(pieces...)
		lines := strings.Count(text, "\n")
		if want := min(lines, tailLines); len(c.tail) != want {
			t.Errorf("%d lines are kept, want %d", len(c.tail), want)
		}
		for _, line := range c.tail {
			if !utf8.ValidString(line) || strings.Contains(line, "\n") || len(line) > 3*maxLogLine {
				t.Errorf("a line is %q, want valid text without line feed in %d bytes", line, 3*maxLogLine)
			}
		}
		if c.logged+c.dropped > lines {
			t.Errorf("%d lines were logged and %d dropped, want %d at most", c.logged, c.dropped, lines)
		}
	})
}
