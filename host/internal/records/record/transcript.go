package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"colosseum/sdk/driver"
)

// TranscriptFormat is the value of the key "format" in a transcript.
const TranscriptFormat = "colosseum-match-1"

// transcript is the JSON of a record. docs/tools.md describes the format.
type transcript struct {
	Format  string            `json:"format"`
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Game    string            `json:"game"`
	Plugin  string            `json:"plugin"`
	Version string            `json:"version"`
	Args    map[string]string `json:"args"`
	Params  map[string]string `json:"params"`
	Timeout float64           `json:"timeout"`
	Retries int               `json:"retries,omitempty"`
	Clock   *Clock            `json:"clock,omitempty"`
	Fixture *Fixture          `json:"fixture,omitempty"`
	Branch  *Branch           `json:"branch,omitempty"`
	Seed    uint64            `json:"seed,string"` // some languages cannot hold 64 bits in a number
	// Commitment is computed from the two; DecodeTranscript compares it.
	Salt       string `json:"salt,omitempty"` // in hexadecimal
	Commitment string `json:"commitment,omitempty"`

	Verified bool         `json:"verified"`
	Seats    []seatJSON   `json:"seats"`
	Started  time.Time    `json:"started,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
	State    State        `json:"state"`
	Reason   string       `json:"reason"`
	Answers  []answerJSON `json:"answers"`
	Stream   *bytesJSON   `json:"stream"`
}

type answerJSON struct {
	Seat    int            `json:"seat"`
	At      int64          `json:"at_us"`
	Left    *int64         `json:"left_us,omitempty"` // nil: the match has no clock, or the seat has a bot
	Outcome driver.Outcome `json:"outcome,omitempty"`
	Line    bytesJSON      `json:"line"`
	Note    string         `json:"note,omitempty"`
	Lines   int            `json:"lines,omitempty"`   // see Answer
	Wall    int64          `json:"wall_us,omitempty"` // of a program of the host
	CPU     *int64         `json:"cpu_us,omitempty"`  // nil: it was not counted
}

// bytesJSON is a JSON string if the bytes are UTF-8, otherwise {"base64": "…"}.
type bytesJSON []byte

func (b bytesJSON) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return compact(string(b))
	}
	return compact(map[string][]byte{"base64": b})
}

func (b *bytesJSON) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		var s string
		err := json.Unmarshal(text, &s)
		*b = bytesJSON(s)
		return err
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	err := strict(text, &coded)
	*b = coded.Base64
	return err
}

// EncodeTranscript returns a record as one line of JSON.
func EncodeTranscript(r *Match) ([]byte, error) {
	t := transcript{
		Format: TranscriptFormat, ID: r.ID, Name: r.Name, Game: r.Game, Plugin: r.Plugin, Version: r.Version,
		Args: r.Args, Params: r.Params, Timeout: r.Timeout, Retries: r.Retries, Clock: r.Clock, Fixture: r.Fixture, Branch: r.Branch, Seed: r.Seed, Verified: r.Verified,
		Salt: hex.EncodeToString(r.Salt), Commitment: r.Commitment(),
		Seats: seatsJSON(r.Seats), Started: r.Started.UTC(), Ended: r.Ended.UTC(), State: r.State, Reason: r.Reason,
	}
	if r.Answers != nil {
		t.Answers = make([]answerJSON, len(r.Answers))
		for i, a := range r.Answers {
			t.Answers[i] = answerJSON{Seat: a.Seat, At: a.At.Microseconds(), Outcome: a.Outcome, Line: bytesJSON(a.Line), Note: a.Note, Lines: a.Lines}
			t.Answers[i].Wall = a.Spent.Wall.Microseconds()
			if a.Spent.Counted {
				t.Answers[i].CPU = new(a.Spent.CPU.Microseconds())
			}
			if r.Timed(a.Seat) {
				t.Answers[i].Left = new(a.Left.Microseconds())
			}
		}
	}
	if r.Stream != nil {
		stream := bytesJSON(r.Stream)
		t.Stream = &stream
	}
	b, err := compact(t)
	if err != nil {
		return nil, fmt.Errorf("write the transcript: %w", err)
	}
	return append(b, '\n'), nil
}

// DecodeTranscript returns the record in a transcript.
func DecodeTranscript(b []byte) (*Match, error) {
	var t transcript
	if err := strict(b, &t); err != nil {
		return nil, fmt.Errorf("this is not a transcript of a match: %w", err)
	}
	if t.Format != TranscriptFormat {
		return nil, fmt.Errorf("this is not a transcript of a match: its format is %q, not %q", t.Format, TranscriptFormat)
	}
	r := &Match{
		ID: t.ID, Name: t.Name, Game: t.Game, Plugin: t.Plugin, Version: t.Version,
		Args: t.Args, Params: t.Params, Timeout: t.Timeout, Retries: t.Retries, Clock: t.Clock, Fixture: t.Fixture, Branch: t.Branch, Seed: t.Seed, Verified: t.Verified,
		Seats: seatsOf(t.Seats), Started: t.Started, Ended: t.Ended, State: t.State, Reason: t.Reason,
	}
	if t.Fixture != nil {
		if err := t.Fixture.Check(len(t.Seats)); err != nil {
			return nil, fmt.Errorf("the transcript is damaged: its fixture: %w", err)
		}
	}
	if b := t.Branch; b != nil && (b.Line < 0 || b.Answers < 0) {
		return nil, fmt.Errorf("the transcript is damaged: it begins with %d answers, to line %d, of another match", b.Answers, b.Line)
	}
	if t.Salt != "" {
		salt, err := hex.DecodeString(t.Salt)
		if err != nil || len(salt) != saltBytes {
			return nil, fmt.Errorf("the transcript is damaged: its salt is not %d bytes in hexadecimal", saltBytes)
		}
		r.Salt = salt
	}
	if t.Commitment != r.Commitment() {
		return nil, errors.New("the transcript is damaged: its commitment is not that of its salt and seed")
	}
	if t.Answers != nil {
		r.Answers = make([]Answer, len(t.Answers))
	}
	for i, a := range t.Answers {
		if a.Seat < 0 || a.Seat >= len(t.Seats) {
			return nil, fmt.Errorf("the transcript is damaged: answer %d is from seat %d, but there are %d seats", i, a.Seat, len(t.Seats))
		}
		r.Answers[i] = Answer{Seat: a.Seat, Line: string(a.Line), Outcome: a.Outcome, At: time.Duration(a.At) * time.Microsecond, Note: driver.CleanNote(a.Note), Lines: a.Lines}
		spent := &r.Answers[i].Spent
		if spent.Wall = time.Duration(a.Wall) * time.Microsecond; a.CPU != nil {
			spent.CPU, spent.Counted = time.Duration(*a.CPU)*time.Microsecond, true
		}
		if a.Left != nil && r.Timed(a.Seat) {
			r.Answers[i].Left = time.Duration(*a.Left) * time.Microsecond
		}
	}
	if t.Stream != nil {
		r.Stream = append([]byte{}, *t.Stream...)
	}
	return r, nil
}

// compact is json.Marshal without escaping <, > and &.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// strict is json.Unmarshal that refuses unknown fields.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after its end")
	}
	return nil
}
