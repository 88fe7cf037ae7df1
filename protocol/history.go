package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// History is the reply to HistoryMatch: the record of a match.
type History struct {
	ID      string            `json:"id"`
	Game    string            `json:"game"`
	Args    map[string]string `json:"args"`
	Players []string          `json:"players"` // names of the players, except bots
	Bots    int               `json:"bots"`
	Stream  []byte            `json:"history"` // everything that spectators received
}

// HistoryError is a refusal of HistoryMatch.
type HistoryError uint32

// The values of the original protocol.
const (
	HistoryNotFound   HistoryError = 0
	HistoryUnreadable HistoryError = 1
	HistoryInvalidID  HistoryError = 2
)

func (e HistoryError) Error() string {
	switch e {
	case HistoryNotFound:
		return "no such match in the history"
	case HistoryUnreadable:
		return "the server could not read the match"
	case HistoryInvalidID:
		return "not a match ID: one is 13 characters of 0-9 and a-v"
	default:
		return fmt.Sprintf("the server refused with code %d", uint32(e))
	}
}

// historyVariant is the number of this reply among those of the original. Unlike all
// others, the reply is in bincode 1.x: integers are little-endian, lengths have 64
// bits, and variants 32.
const historyVariant = 20

// EncodeHistory returns the binary reply with a history.
func EncodeHistory(h *History) []byte {
	b := binary.LittleEndian.AppendUint32(nil, historyVariant)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = appendString(b, h.ID)
	b = appendString(b, h.Game)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(h.Args)))
	for _, k := range slices.Sorted(maps.Keys(h.Args)) {
		b = appendString(appendString(b, k), h.Args[k])
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(h.Players)))
	for _, p := range h.Players {
		b = appendString(b, p)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(h.Bots))
	return appendString(b, string(h.Stream))
}

// EncodeHistoryError returns the binary reply with a refusal.
func EncodeHistoryError(e HistoryError) []byte {
	b := binary.LittleEndian.AppendUint32(nil, historyVariant)
	b = binary.LittleEndian.AppendUint32(b, 1)
	return binary.LittleEndian.AppendUint32(b, uint32(e))
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

var errHistory = errors.New("the server's history reply is damaged")

// DecodeHistory decodes a binary reply. The error for a refusal is a HistoryError.
func DecodeHistory(b []byte) (*History, error) {
	r := reader{b}
	if r.uint32() != historyVariant {
		return nil, errHistory
	}
	switch r.uint32() {
	case 0:
	case 1:
		if e := r.uint32(); r.b != nil {
			return nil, HistoryError(e)
		}
		fallthrough
	default:
		return nil, errHistory
	}
	h := &History{ID: r.string(), Game: r.string(), Args: map[string]string{}}
	for n := r.uint64(); n > 0 && r.b != nil; n-- {
		key := r.string()
		h.Args[key] = r.string()
	}
	for n := r.uint64(); n > 0 && r.b != nil; n-- {
		h.Players = append(h.Players, r.string())
	}
	h.Bots = int(r.uint32())
	h.Stream = []byte(r.string())
	if r.b == nil || len(r.b) > 0 {
		return nil, errHistory
	}
	return h, nil
}

// reader reads values from b. When too few bytes are left, b becomes nil, and this
// value and all later ones are zero.
type reader struct{ b []byte }

func (r *reader) take(n uint64) []byte {
	if uint64(len(r.b)) < n {
		r.b = nil
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) uint32() uint32 {
	if v := r.take(4); v != nil {
		return binary.LittleEndian.Uint32(v)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if v := r.take(8); v != nil {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

func (r *reader) string() string { return string(r.take(r.uint64())) }
