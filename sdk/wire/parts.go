package wire

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MaxParts is how many parts a message of a game can have: messages in it, and elements of
// its lists. A part has at least a byte, and needs about 100 in memory.
const MaxParts = 1 << 18

// ErrManyParts is the error of a message with more parts than MaxParts.
var ErrManyParts = errors.New("a message has too many parts")

// checkParts returns ErrManyParts if an encoded message has too many parts. It is fast for
// messages of up to MaxParts bytes, which can't. Whether the message is valid is left to
// its decoder.
func checkParts(b []byte, d protoreflect.MessageDescriptor) error {
	if len(b) > MaxParts && countParts(b, d, MaxParts) < 0 {
		return ErrManyParts
	}
	return nil
}

// countParts returns left less the parts of a message; it stops below 0.
func countParts(b []byte, d protoreflect.MessageDescriptor, left int) int {
	for len(b) > 0 && left >= 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return left
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(number, kind, b)
		if size < 0 {
			return left
		}
		value := b[:size]
		b = b[size:]
		field := d.Fields().ByNumber(number)
		switch {
		case field == nil:
		case kind == protowire.BytesType && field.Message() != nil:
			message, _ := protowire.ConsumeBytes(value)
			left = countParts(message, field.Message(), left-1)
		case kind == protowire.BytesType && field.IsPacked():
			packed, _ := protowire.ConsumeBytes(value)
			left -= len(packed) // the list is at most as long
		case field.IsList():
			left--
		}
	}
	return left
}
