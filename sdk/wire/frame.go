package wire

import "colosseum/sdk/driver"

// HostFrame is what a host sends about one match.
type HostFrame struct {
	Match   uint64          // a number that the host never uses again
	Start   *driver.Setup   // the match begins; of Log and Thought nothing travels
	Answers []driver.Answer // to the last question, without those of bots
	Stop    bool            // forget the match
}

// GameFrame is what a game sends about one match.
type GameFrame struct {
	Match uint64
	*driver.Frame
}
