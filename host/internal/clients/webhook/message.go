package webhook

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
)

// TestEvent is the event of a message that was asked for.
const TestEvent = "webhook.test"

// message is what a receiver gets.
type message struct {
	ID        string    `json:"-"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}

// ofContest returns the message of an announcement that was made from an event. The same
// event has the same ID, also if the message is made again from a backup.
func ofContest(c *store.ContestNews, event int64, a contest.Announcement, address string) message {
	if address != "" {
		a.News.Address = address + "/contests/" + c.Name
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", c.Name, c.Created.UnixNano(), c.Seed, event, a.Type))
	return message{"msg_" + hex.EncodeToString(sum[:16]), a.Type, a.At.UTC(), a.News}
}

// programData is the data of a message about a program.
type programData struct {
	store.ProgramEvent
	Address string `json:"address,omitempty"` // of the page of its player
}

func ofProgram(n *store.ProgramNews, address string) message {
	d := programData{ProgramEvent: n.Program}
	if address != "" {
		d.Address = address + "/players/" + n.Program.Player
	}
	return message{n.ID, n.Event, n.At.UTC(), d}
}

// Test returns a message that says nothing but that it was sent to a webhook.
func Test(hook, address string) (store.Delivery, error) {
	m := message{"msg_" + rand.Text(), TestEvent, time.Now().UTC(), struct {
		Webhook string `json:"webhook"`
		Address string `json:"address,omitempty"`
	}{hook, address}}
	return m.delivery(hook)
}

// delivery returns the message for a webhook, to be sent now.
func (m *message) delivery(hook string) (store.Delivery, error) {
	body, err := json.Marshal(m)
	now := time.Now()
	return store.Delivery{ID: m.ID, Hook: hook, Event: m.Type, Body: string(body), Created: now, Next: now}, err
}
