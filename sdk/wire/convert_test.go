package wire

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

func TestParametersSurviveTheWire(t *testing.T) {
	for _, p := range []sdk.Param{
		sdk.Int("rounds", "number of rounds", 5, -1, 1<<40),
		sdk.Float("pace", "seconds", 0.1, 0, 30.5),
		sdk.Choice("bot", "level – of the bot", "strong", "random"),
		sdk.Text("start", "start position", "W:W21:B1 – ♔", 200),
	} {
		b, err := proto.Marshal(encodeParam(p))
		var m pb.Param
		if err == nil {
			err = proto.Unmarshal(b, &m)
		}
		if got := decodeParam(&m); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("got %+v, error %v, want %+v", got, err, p)
		}
	}
}

func TestThoughtsOfBotsSurviveTheWire(t *testing.T) {
	s := decodeSetup(encodeSetup(&driver.Setup{Names: []string{"a", "b"}, Bots: []bool{false, true}, Thoughts: 7}))
	if s.Thoughts != 7 || s.Settings.Bots != 1 {
		t.Errorf("got %+v, want 7 thoughts and one bot", s)
	}
}
