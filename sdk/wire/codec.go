package wire

import (
	"google.golang.org/protobuf/proto"
)

func (f *HostFrame) appendTo(b []byte) []byte {
	b, err := proto.MarshalOptions{}.MarshalAppend(b, f)
	if err != nil {
		panic(err)
	}
	return b
}

func (f *GameFrame) appendTo(b []byte) []byte {
	b, err := proto.MarshalOptions{}.MarshalAppend(b, f)
	if err != nil {
		panic(err)
	}
	return b
}

func decodeHostFrame(b []byte) (*HostFrame, error) {
	f := &HostFrame{}
	return f, proto.Unmarshal(b, f)
}

func decodeGameFrame(b []byte) (*GameFrame, error) {
	f := &GameFrame{}
	return f, proto.Unmarshal(b, f)
}
