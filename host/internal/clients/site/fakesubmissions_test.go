package site

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/submissions/registry"
)

// fakeSubmissions has the programs of one player, bob.
type fakeSubmissions struct {
	goesOn bool  // Get takes what Submit has taken one step further
	err    error // result of all methods

	mu       sync.Mutex          // guards the fields below
	versions []*registry.Version // the newest first
	logs     map[string]string   // by hash
	file     string              // of the last Submit
	address  string              // of it
	body     []byte              // of it
}

// someSubmissions returns versions of roshambo in all states.
func someSubmissions(now time.Time) *fakeSubmissions {
	f := &fakeSubmissions{logs: map[string]string{}}
	for i, v := range []registry.Version{
		{Language: "python", State: "accepted"},
		{Language: "c", State: "refused", Fault: "program", Reason: "player.c:3: error: expected ';' before '}' token"},
		{Language: "java", State: "accepted", Active: true, Rests: true, Failures: 10, Fault: "program", Reason: "it has not finished ten matches in a row: " + hostile},
		{Language: "go", State: "accepted"},
		{Language: "rust", State: "removed"},
		{Language: "c++", State: "queued", Position: 3, Fault: "host", Reason: "the disk is full"},
	} {
		v.Game, v.Version, v.Player, v.Created, v.Changed = "roshambo", i+1, "bob", now.Add(-time.Hour), now
		v.Bytes, v.Hash = 4096, string(rune('a'+i))
		f.versions = slices.Insert(f.versions, 0, &v)
		f.logs[v.Hash] = "cc -O2 -o player player.c\n" + hostile + "\n"
	}
	return f
}

func (f *fakeSubmissions) Games() []string { return []string{"roshambo"} }
func (f *fakeSubmissions) Limits() int64   { return 1 << 20 }
func (f *fakeSubmissions) Languages() []registry.Language {
	return []registry.Language{{Name: "python", Title: "Python", Version: "3.13.5"}, {Name: "c", Title: "C", Version: "14.2"}, {Name: "javascript", Title: "JavaScript", Version: "20.19"}}
}

func (f *fakeSubmissions) Submit(_ context.Context, player, address, game, file string, body []byte) (registry.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.file, f.address, f.body = file, address, body
	if f.err != nil {
		return registry.Version{}, f.err
	}
	if bytes.Contains(body, []byte("same")) {
		return registry.Version{}, &registry.Refusal{Status: http.StatusConflict, Text: "this is version 6 already"}
	}
	v := &registry.Version{Game: game, Version: len(f.versions) + 1, Player: player, Language: "javascript", State: "queued", Position: 2, Created: time.Now(), Changed: time.Now(), Bytes: int64(len(body)), Hash: string(rune('a' + len(f.versions)))}
	if bytes.Contains(body, []byte("broken")) {
		v.Language = "broken"
	}
	f.versions = slices.Insert(f.versions, 0, v)
	return *v, nil
}

func (f *fakeSubmissions) findLocked(player, game string, version int) (*registry.Version, error) {
	if f.err != nil {
		return nil, f.err
	}
	i := slices.IndexFunc(f.versions, func(v *registry.Version) bool {
		return v.Player == player && v.Game == game && v.Version == version
	})
	if i < 0 {
		return nil, &registry.Refusal{Status: http.StatusNotFound, Text: "there is no such version"}
	}
	return f.versions[i], nil
}

// stepLocked takes a version one state further.
func (f *fakeSubmissions) stepLocked(v *registry.Version) {
	switch {
	case v.State == "queued" && v.Position > 1:
		v.Position--
	case v.State == "queued":
		v.State, v.Position = "building", 0
	case v.State == "building" && v.Language == "broken":
		v.State, v.Fault, v.Reason = "refused", "program", "it does not compile"
		f.logs[v.Hash] += "player.js:1: broken\n"
	case v.State == "building":
		v.State = "trying"
		f.logs[v.Hash] += "node --check player.js\n"
	case v.State == "trying":
		f.activateLocked(v)
	}
}

func (f *fakeSubmissions) activateLocked(v *registry.Version) {
	for _, other := range f.versions {
		other.Active = other.Active && v != nil && other.Game != v.Game
	}
	if v != nil {
		v.State, v.Active, v.Rests, v.Failures, v.Fault, v.Reason = "accepted", true, false, 0, "", ""
	}
}

func (f *fakeSubmissions) List(_ context.Context, player, game string) (list []registry.Version, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.versions {
		if v.Player == player && (game == "" || v.Game == game) {
			list = append(list, *v)
		}
	}
	return list, f.err
}

func (f *fakeSubmissions) Get(_ context.Context, player, game string, version int) (registry.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.findLocked(player, game, version)
	if err != nil {
		return registry.Version{}, err
	}
	if f.goesOn && v.Version > 6 {
		f.stepLocked(v)
	}
	return *v, nil
}

func (f *fakeSubmissions) Log(_ context.Context, player, game string, version, from int) (string, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.findLocked(player, game, version)
	if err != nil {
		return "", 0, err
	}
	text := f.logs[v.Hash]
	return text[min(from, len(text)):], len(text), nil
}

func (f *fakeSubmissions) Activate(_ context.Context, player, game string, version int) (registry.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.findLocked(player, game, version)
	if err != nil {
		return registry.Version{}, err
	}
	if v.State != "accepted" {
		return registry.Version{}, &registry.Refusal{Status: http.StatusConflict, Text: "only an accepted version can play"}
	}
	f.activateLocked(v)
	return *v, nil
}

func (f *fakeSubmissions) Pause(context.Context, string, string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.activateLocked(nil)
	return f.err
}

func (f *fakeSubmissions) Remove(_ context.Context, player, game string, version int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.findLocked(player, game, version)
	if err == nil {
		v.State, v.Active = "removed", false
	}
	return err
}

func (f *fakeSubmissions) Source(_ context.Context, player, game string, version int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.findLocked(player, game, version)
	return []byte("PK"), err
}

func (f *fakeSubmissions) Journals(_ context.Context, player, game string, version int) ([]registry.JournalEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.findLocked(player, game, version); err != nil {
		return nil, err
	}
	return []registry.JournalEntry{{Match: "ended0", At: time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)}}, nil
}

func (f *fakeSubmissions) Journal(_ context.Context, player, game string, version int, match string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.findLocked(player, game, version); err != nil {
		return "", err
	}
	if match != "ended0" {
		return "", &registry.Refusal{Status: http.StatusNotFound, Text: "there is no journal of this match"}
	}
	return "Traceback: " + hostile + "\n", nil
}

func (f *fakeSubmissions) Work(context.Context) (registry.Work, error) {
	return registry.Work{Queued: 5, Building: 1, Busy: 2, Cores: 3, Matches: 417}, f.err
}
