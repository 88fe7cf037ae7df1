package forward

import (
	"errors"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

func TestClosesOfTheOtherHostHaveTheirCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		text string
	}{
		{errors.New("reset"), protocol.CloseShutdown, Reconnect},
		{&websocket.CloseError{Code: protocol.CloseTooSlow, Text: "slow"}, protocol.CloseTooSlow, "slow"},
		{&websocket.CloseError{Code: protocol.CloseReplaced}, protocol.CloseShutdown, Reconnect},
		{&websocket.CloseError{Code: websocket.CloseNormalClosure, Text: "bye"}, protocol.CloseShutdown, Reconnect},
		{&websocket.CloseError{Code: websocket.CloseMessageTooBig, Text: "long"}, websocket.CloseMessageTooBig, "long"},
	} {
		if code, text := closeOf(tt.err); code != tt.code || text != tt.text {
			t.Errorf("%v: got %d %s, want %d %s", tt.err, code, text, tt.code, tt.text)
		}
	}
}
