package wire

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"colosseum/sdk/wire/pb"
)

func TestReadmeNamesWhatTheHandshakeUses(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("| `%s` | `%s` |", CookieKey, CookieValue),
		fmt.Sprintf("| `%s` |", LifelineKey),
		fmt.Sprintf("| `%s` |", FramesKey),
		fmt.Sprintf("its length in %d bytes", lengthSize),
		fmt.Sprintf("1|%d|unix|/path/of/the/socket|grpc\n", Protocol),
		fmt.Sprintf("| `PLUGIN_PROTOCOL_VERSIONS` | `%d` |", Protocol),
		fmt.Sprintf("process.env.%s !== '%s'", CookieKey, CookieValue),
		fmt.Sprintf("at most %d frames and about %d MiB", batchFrames, batchBytes>>20),
		"`" + string(pb.File_game_proto.Package()) + "." + string(pb.File_game_proto.Services().Get(0).Name()) + "`",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not have %q, want it", want)
		}
	}
}
