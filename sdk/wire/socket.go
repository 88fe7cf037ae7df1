package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"colosseum/sdk/wire/pb"
)

// readSize is the size of the buffer for reading, in bytes: a thousand short frames.
const readSize = 64 << 10

// ErrTooLong is the error of a frame that is longer than its receiver takes.
var ErrTooLong = errors.New("a frame is too long")

// HostOverSocket returns the host's end of a connection over a socket, which receives at
// most longest bytes for a frame. When the game no longer reads, Read returns what the game
// has sent, and then the end.
func HostOverSocket(socket *os.File, longest int) (*HostConn, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	return newHostConn(&overSocket{socket: socket, raw: raw, in: newReader(socket, longest, (*pb.GameFrame)(nil))}), nil
}

// GameOverSocket returns the game's end of a connection over the socket with a number, which
// the programs that this process starts do not inherit.
func GameOverSocket(fd int) (*GameConn, error) {
	socket, err := openSocket(fd)
	if err != nil {
		return nil, err
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	return newGameConn(&overSocket{socket: socket, raw: raw, in: newReader(socket, math.MaxInt32, (*pb.HostFrame)(nil))}), nil
}

// overSocket is a transport without gRPC: frames travel one after the other, each with its
// length before it.
type overSocket struct {
	socket *os.File
	raw    syscall.RawConn
	in     *reader
}

func (s *overSocket) writeNow(frames []byte) (int, error)      { return writeNow(s.raw, frames) }
func (s *overSocket) read(next func(frame []byte) error) error { return s.in.read(next) }
func (s *overSocket) endReading()                              { endReading(s.raw) }
func (s *overSocket) close()                                   { _ = s.socket.Close() }

func (s *overSocket) write(frames []byte) error {
	_, err := s.socket.Write(frames)
	return err
}

// reader reads frames from a socket.
type reader struct {
	socket   io.Reader
	kind     protoreflect.MessageDescriptor
	longest  int    // frame, in bytes
	buffer   []byte // of readSize, or longer for one frame
	from, to int    // what has been read and not passed on
}

func newReader(socket io.Reader, longest int, kind proto.Message) *reader {
	return &reader{socket: socket, kind: kind.ProtoReflect().Descriptor(), longest: longest, buffer: make([]byte, readSize)}
}

// read implements transport.
func (r *reader) read(next func(frame []byte) error) error {
	if err := r.fill(); err != nil {
		return err
	}
	for {
		frame, err := r.frame()
		if frame == nil || err != nil {
			return err
		}
		if err := checkParts(frame, r.kind); err != nil {
			return err
		}
		if err := next(frame); err != nil {
			return err
		}
	}
}

// frame returns the next frame in the buffer, or nil if it is not complete.
func (r *reader) frame() ([]byte, error) {
	unread := r.buffer[r.from:r.to]
	if len(unread) < lengthSize {
		return nil, nil
	}
	n := binary.LittleEndian.Uint32(unread)
	if uint64(n) > uint64(r.longest) {
		return nil, ErrTooLong
	}
	end := lengthSize + int(n)
	if len(unread) < end {
		return nil, nil
	}
	r.from += end
	return unread[lengthSize:end], nil
}

// fill reads once, into a buffer that has room for the whole next frame.
func (r *reader) fill() error {
	unread := r.buffer[r.from:r.to]
	size := readSize
	if len(unread) >= lengthSize {
		size = max(size, lengthSize+int(binary.LittleEndian.Uint32(unread))) // frame has checked it
	}
	if size != len(r.buffer) {
		r.buffer = make([]byte, size)
	}
	r.from, r.to = 0, copy(r.buffer, unread)
	n, err := r.socket.Read(r.buffer[r.to:])
	r.to += n
	switch {
	case n > 0:
		return nil
	case err == io.EOF && r.to > 0:
		return io.ErrUnexpectedEOF
	case err == nil:
		return io.ErrNoProgress
	default:
		return err
	}
}
