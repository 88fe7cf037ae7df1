package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/natsserver"
	"colosseum/protocol"
)

// matchHosts are two hosts whose listings the test copies. Matches are placed on the
// second one.
type matchHosts struct {
	near, far *lobby.Lobby
	matches   *Matches
	handlers  map[string]func(context.Context, []byte) (any, error)
	err       error // of requests; nil: the second host answers
	place     string
	programs  bool     // the last match has programs
	request   []byte   // the last one
	published []string // IDs
}

func (h *matchHosts) Spread(_ string, programs bool) string {
	h.programs = programs
	return h.place
}
func (h *matchHosts) Published(_ context.Context, id string)        { h.published = append(h.published, id) }
func (h *matchHosts) Owner(context.Context, string) (string, error) { return "", nil }
func (h *matchHosts) Handle(name string, f func(context.Context, []byte) (any, error)) {
	if h.handlers[name] == nil {
		h.handlers[name] = f // of the second host, which is first
	}
}

func (h *matchHosts) Request(ctx context.Context, host, name string, in, out any) error {
	if host != "far" {
		return fmt.Errorf("a request to %q", host)
	}
	if h.err != nil {
		return h.err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	h.request = body
	answer, err := h.handlers[name](ctx, body)
	if err != nil {
		return err
	}
	if body, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

func newMatchHosts(t *testing.T) *matchHosts {
	t.Helper()
	newLobby := func(most int) *lobby.Lobby {
		l := lobby.New(duels{}, noRecorder{}, lobby.Limits{Matches: most, Expiry: time.Hour, Stall: time.Minute}, "", slog.New(slog.DiscardHandler))
		t.Cleanup(func() { l.Close(t.Context()) })
		return l
	}
	h := &matchHosts{near: newLobby(1), far: newLobby(2), handlers: map[string]func(context.Context, []byte) (any, error){}, place: "far"}
	NewMatches(h, h.far)
	h.matches = NewMatches(h, h.near)
	return h
}

// seats keeps seats for ann and bob.
func seats(changes *[]lobby.Change) *lobby.Seats {
	seed := uint64(1<<63 + 1)
	return &lobby.Seats{
		Order: []string{"ann", "bob"}, Within: time.Minute, Seed: &seed, Fixture: &record.Fixture{Contest: "cup", Pairing: 3, Leg: 1, Entries: []int{5, 6}},
		Changed: func(c lobby.Change) { *changes = append(*changes, c) },
	}
}

// called are programs that only say to what they were called.
type called chan lobby.HostedMatch // 1: the test has one match

func (c called) Play(_ context.Context, m lobby.HostedMatch) { c <- m }

func TestMatchOnAnotherHostIsPlayedByTheProgramsThere(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	there := make(called, 1)
	h.far.SetPrograms(there)
	info, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, &lobby.Seats{Order: []string{"ann", "bob"}, Programs: []int{4, 1}, Within: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if m := <-there; m.ID != info.ID || !slices.Equal(m.Seats, []lobby.HostedSeat{{Player: "ann", Version: 4}, {Player: "bob", Version: 1}}) || !h.programs {
		t.Errorf("got the match %+v on a host for programs: %v; want %s with both programs there", m, h.programs, info.ID)
	}
	if x := h.far.Listings()[0]; !slices.Equal(x.Programs, []string{"ann", "bob"}) {
		t.Errorf("got the listing %+v, want the players of the programs in it", x)
	}
	h.place = ""
	if _, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, &lobby.Seats{Order: []string{"ann", "bob"}, Programs: []int{0, 1}, Within: time.Minute}); !errors.Is(err, lobby.ErrNoPrograms) {
		t.Errorf("on a host without programs: got %v, want %v", err, lobby.ErrNoPrograms)
	}
}

// TestSettingsOfSeatsReachTheOtherHost: what a contest forbids holds on all hosts.
func TestSettingsOfSeatsReachTheOtherHost(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	for _, without := range []bool{false, true} {
		want := &lobby.Seats{Order: []string{"ann", "bob"}, Within: time.Minute, NoHints: without}
		if _, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, want); err != nil {
			t.Fatal(err)
		}
		var sent creation
		if err := decode(h.request, &sent); err != nil {
			t.Fatal(err)
		}
		if got := sent.seats(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v on the other host, want %+v", got, want)
		}
	}
}

var newDuel = protocol.GameNew{Name: "round 1", Game: "duel"}

func TestMatchIsCreatedAndChangedOnAnotherHost(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	var changes []lobby.Change
	info, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, seats(&changes))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := h.far.Playing(&record.Fixture{Contest: "cup", Pairing: 3, Leg: 1})
	if !ok || got.Info.ID != info.ID || !got.Assigned || !slices.Equal(got.Info.Reserved, []string{"ann", "bob"}) || !slices.Equal(got.Fixture.Entries, []int{5, 6}) {
		t.Errorf("on the other host: got %+v, want the match with its seats and its fixture", got)
	}
	if near, ok := h.near.Elsewhere(info.ID); !ok || near.Host != "far" || near.Fixture == nil || !near.Assigned {
		t.Errorf("here: got the listing %+v, want that of the match", near)
	}
	if !slices.Equal(h.published, []string{info.ID}) {
		t.Errorf("got the matches %q published, want it before the answer", h.published)
	}
	h.far.Publish(func(x lobby.Listing) {
		x.Host = "far"
		h.near.SetElsewhere(x)
	})
	if err := h.matches.Reserve(info.ID, "eve"); err == nil || !strings.Contains(err.Error(), "no seat") {
		t.Errorf("reserve: got %v, want that there is no seat", err)
	}
	if !h.matches.Unreserve(info.ID, "bob") {
		t.Error("unreserve: got false, want true")
	}
	if err := h.matches.Reserve(info.ID, "eve"); err != nil {
		t.Errorf("reserve: got %v, want no error", err)
	}
	if !h.matches.Remove(info.ID, "over") || h.matches.Remove(info.ID, "over") {
		t.Error("remove: want true once")
	}
	var all []string
	for _, c := range changes {
		all = append(all, fmt.Sprint(c.Info.Reserved, c.Gone, c.Reason))
	}
	if want := []string{"[ann bob] false", "[ann bob] false", "[ann] false", "[ann eve] false", "[ann eve] trueover"}; !slices.Equal(all, want) {
		t.Errorf("got the changes %q, want %q", all, want)
	}
}

func TestMatchIsCreatedHereIfTheOtherHostIsFull(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	var changes []lobby.Change
	for i := range 4 {
		_, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, seats(&changes))
		if full := i == 3; errors.Is(err, lobby.ErrFull) != full || !full && err != nil {
			t.Errorf("match %d: got the error %v, want that all are full: %v", i+1, err, full)
		}
	}
	if near, far := h.near.Listings(), h.far.Listings(); len(near) != 3 || len(far) != 2 {
		t.Errorf("got %d listings here and %d there, want 3 and 2: one match here", len(near), len(far))
	}
}

func TestMatchIsNotCreatedTwiceAfterALostAnswer(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	h.err = ErrUnreachable
	var changes []lobby.Change
	if _, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, seats(&changes)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got the error %v, want %v", err, ErrUnreachable)
	}
	if n := len(h.near.Listings()); n != 0 {
		t.Errorf("got %d matches here, want 0: the other host may have created one", n)
	}
}

func TestMatchOfThisHostNeedsNoRequest(t *testing.T) {
	t.Parallel()
	h := newMatchHosts(t)
	h.place, h.err = "", errors.New("no request is allowed")
	var changes []lobby.Change
	info, err := h.matches.CreateFor(t.Context(), lobby.Client{}, newDuel, seats(&changes))
	if err != nil {
		t.Fatal(err)
	}
	if !h.matches.Unreserve(info.ID, "bob") || h.matches.Reserve(info.ID, "eve") != nil || !h.matches.Remove(info.ID, "over") {
		t.Error("want that all requests about it succeed")
	}
}

func TestRequestsOfOtherHostsAreChecked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxText+1)
	many, _ := json.Marshal(make([]string, 100_000))
	tests := []struct{ name, request, body, want string }{
		{"no JSON", createMatch, "{", "could not read the request"},
		{"an unknown field", createMatch, `{"new":{},"within":1,"secret":2}`, "could not read the request"},
		{"too long", createMatch, strings.Repeat(" ", maxRequest+1), "too long"},
		{"too many seats", createMatch, `{"new":{},"within":1,"order":` + string(many) + `}`, "seats"},
		{"a negative number of seats", createMatch, `{"new":{},"within":1,"open":-1}`, "seats"},
		{"too many programs", createMatch, `{"new":{},"within":1,"programs":` + strings.ReplaceAll(string(many), `""`, "0") + `}`, "seats"},
		{"no time", createMatch, `{"new":{},"within":0}`, "cannot wait"},
		{"too much time", createMatch, `{"new":{},"within":9000000000000000000}`, "cannot wait"},
		{"a long player", createMatch, `{"new":{},"within":1,"players":["` + long + `"]}`, "too long"},
		{"a long address", createMatch, `{"new":{},"within":1,"address":"` + long + `"}`, "too long"},
		{"a long contest", createMatch, `{"new":{},"within":1,"fixture":{"contest":"` + long + `","entries":[1]}}`, "too long"},
		{"a wrong fixture", createMatch, `{"new":{},"within":1,"fixture":{"contest":"c","pairing":-1}}`, "no leg"},
		{"a long reason", removeMatch, `{"id":"x","reason":"` + long + `"}`, "too long"},
		{"no JSON", reserveSeat, `[]`, "could not read the request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newMatchHosts(t)
			if _, err := h.handlers[tt.request](t.Context(), []byte(tt.body)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestMatchThatWasNeverListedEndsWithItsHost(t *testing.T) {
	t.Parallel()
	h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
	var changes []lobby.Change
	h.lobby.Expect(lobby.Listing{Host: "b", Assigned: true, Info: protocol.MatchInfo{ID: record.NewID(), Game: "duel"}}, func(c lobby.Change) { changes = append(changes, c) })
	h.endMatches(t.Context(), "c")
	if len(changes) != 1 {
		t.Fatalf("after the death of another host: got %d changes, want 1", len(changes))
	}
	h.endMatches(t.Context(), "b")
	if len(changes) != 2 || !changes[1].Gone || changes[1].Reason != hostStopped {
		t.Errorf("got the changes %+v, want a second one, the end", changes)
	}
}
