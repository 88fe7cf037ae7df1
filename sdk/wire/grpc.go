package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// Limits of one batch. Bytes are approximate.
const (
	batchFrames = 1024    // so that the receiver can start early
	batchBytes  = 1 << 20 // many gRPC libraries take messages of at most 4 MiB
)

// window is how many bytes can be sent in each direction before they are read.
// Without a fixed window gRPC estimates one with a ping for each batch, which with
// few matches costs both sides as much as the batch.
const window = 1 << 20

// DialOptions returns what the connection for a [Client] needs. It receives at most longest
// bytes for a message.
func DialOptions(longest int) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(longest), grpc.ForceCodecV2(newCodec())),
	}
}

// ServerOptions returns what the server for [Register] needs. It receives messages of any
// size: a game trusts its host, and the operator sets the longest line of a player.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.ForceServerCodecV2(newCodec()),
	}
}

// Client calls the service of a game. Its methods can be called concurrently.
type Client struct{ game pb.GameClient }

// NewClient returns a client of the service at the other end of a connection.
func NewClient(connection grpc.ClientConnInterface) Client {
	return Client{pb.NewGameClient(connection)}
}

// Describe returns the description of the game, not checked, and whether it exchanges frames
// over the socket. The description does not have the default number of players.
func (c Client) Describe(ctx context.Context) (d driver.Description, frames bool, err error) {
	m, err := c.game.Describe(ctx, &pb.DescribeRequest{})
	if err != nil {
		return driver.Description{}, false, err
	}
	return decodeDescription(m), m.Frames, nil
}

// Prepare returns the settings for a match, not checked, or why the game refuses it.
func (c Client) Prepare(ctx context.Context, r driver.Request) (s driver.Settings, refusal string, err error) {
	request := &pb.PrepareRequest{Bots: uint32(r.Bots), Timeout: r.Timeout, Args: r.Args}
	if r.Players != nil {
		request.Players = new(uint32(*r.Players))
	}
	reply, err := c.game.Prepare(ctx, request)
	if err != nil {
		return driver.Settings{}, "", err
	}
	return driver.Settings{Players: int(reply.Players), Bots: r.Bots, Timeout: reply.Timeout, Params: reply.Params}, reply.Refusal, nil
}

// Play opens the host's end of a connection over gRPC.
func (c Client) Play() (*HostConn, error) {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := c.game.Play(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return newHostConn(&overGRPC{stream: stream, hangUp: cancel, kind: (*pb.GameBatch)(nil).ProtoReflect().Descriptor()}), nil
}

// Service is what a game serves. Its methods can be called concurrently.
type Service interface {
	// Describe returns the description of the game, and whether it exchanges frames over
	// the socket of the host.
	Describe() (d driver.Description, frames bool)
	// Prepare checks and completes a request for a match. Its error is for the match's
	// creator.
	Prepare(r driver.Request) (driver.Settings, error)
	// Play carries all matches until conn returns an error, which it returns.
	Play(conn *GameConn) error
}

// Register registers a service with a server that has the [ServerOptions].
func Register(s grpc.ServiceRegistrar, game Service) {
	pb.RegisterGameServer(s, &server{game: game})
}

type server struct {
	pb.UnimplementedGameServer
	game Service
}

func (s *server) Describe(context.Context, *pb.DescribeRequest) (*pb.Description, error) {
	d, frames := s.game.Describe()
	m := encodeDescription(d)
	m.Frames = frames
	return m, nil
}

func (s *server) Prepare(_ context.Context, m *pb.PrepareRequest) (*pb.PrepareReply, error) {
	r := driver.Request{Bots: int(m.Bots), Timeout: m.Timeout, Args: m.Args}
	if m.Players != nil {
		r.Players = new(int(*m.Players))
	}
	settings, err := s.game.Prepare(r)
	if err != nil {
		return &pb.PrepareReply{Refusal: validUTF8(err.Error())}, nil
	}
	return &pb.PrepareReply{Players: uint32(settings.Players), Timeout: settings.Timeout, Params: settings.Params}, nil
}

func (s *server) Play(stream grpc.BidiStreamingServer[pb.HostBatch, pb.GameBatch]) error {
	conn := newGameConn(&overGRPC{stream: stream, hangUp: func() {}, kind: (*pb.HostBatch)(nil).ProtoReflect().Descriptor()})
	err := s.game.Play(conn)
	conn.Close()
	conn.await() // nothing can be sent on a stream after Play
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// overGRPC is a transport of frames in batches over a stream of gRPC.
type overGRPC struct {
	stream interface {
		SendMsg(m any) error
		RecvMsg(m any) error
	}
	hangUp func()
	kind   protoreflect.MessageDescriptor // of what is received
}

func (s *overGRPC) writeNow([]byte) (int, error) { return 0, nil } // gRPC waits
func (s *overGRPC) endReading()                  {}                // a stream that fails ends by itself
func (s *overGRPC) close()                       { s.hangUp() }

func (s *overGRPC) write(frames []byte) error {
	for len(frames) > 0 {
		var batch []byte
		batch, frames = nextBatch(frames)
		if err := s.stream.SendMsg(outgoing(batch)); err != nil {
			return err
		}
	}
	return nil
}

// nextBatch returns the first of some frames as a HostBatch or GameBatch, at least one, and
// the rest.
func nextBatch(frames []byte) (batch, rest []byte) {
	batch = make([]byte, 0, min(len(frames), batchBytes))
	for n := 0; n < batchFrames && len(frames) > 0; n++ {
		end := lengthSize + int(binary.LittleEndian.Uint32(frames))
		if n > 0 && len(batch)+end > batchBytes {
			break
		}
		batch = protowire.AppendBytes(protowire.AppendTag(batch, 1, protowire.BytesType), frames[lengthSize:end])
		frames = frames[end:]
	}
	return batch, frames
}

func (s *overGRPC) read(next func(frame []byte) error) error {
	var m incoming
	if err := s.stream.RecvMsg(&m); err != nil {
		return err
	}
	defer m.Free()
	batch := m.ReadOnlyData()
	if err := checkParts(batch, s.kind); err != nil {
		return err
	}
	r := fields{rest: batch}
	for r.next() {
		if r.key == 1<<3|delimited {
			r.err = next(r.bytes)
		}
	}
	return r.err
}

// Encoded messages, as the codec passes them on.
type (
	outgoing []byte // not changed afterwards
	incoming struct{ mem.Buffer }
)

// codec is that of Protocol Buffers. It does not touch messages that are encoded by other
// code, and refuses those that would need far more memory than their bytes.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(outgoing); ok {
		return mem.BufferSlice{mem.SliceBuffer(m)}, nil
	}
	return c.CodecV2.Marshal(v)
}

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := v.(*incoming); ok {
		m.Buffer = data.MaterializeToBuffer(mem.DefaultBufferPool())
		return nil
	}
	if m, ok := v.(proto.Message); ok && data.Len() > MaxParts {
		if err := checkParts(data.Materialize(), m.ProtoReflect().Descriptor()); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}
