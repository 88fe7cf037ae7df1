package match

import (
	"testing"

	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func TestProtocolAndRefereesUseTheSameWordsForTheEnd(t *testing.T) {
	for want, got := range map[driver.Ended]string{
		driver.EndedFinished: protocol.EndedFinished, driver.EndedAborted: protocol.EndedAborted,
		driver.ForfeitIllegal: protocol.ForfeitIllegal, driver.ForfeitTimeout: protocol.ForfeitTimeout,
		driver.ForfeitDisconnected: protocol.ForfeitDisconnected, driver.ForfeitResigned: protocol.ForfeitResigned,
	} {
		if got != string(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
