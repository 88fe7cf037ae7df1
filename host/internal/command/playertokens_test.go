package command

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
)

// mint gives a player a token, as a running host does.
func (c *testFolder) mint(player, label string) (token, id string) {
	c.t.Helper()
	file, err := store.OpenPlayers(context.Background(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	token, id, err = players.New(file, players.Settings{}, slog.New(slog.DiscardHandler)).Mint(context.Background(), player, label, []players.Scope{players.All}, time.Hour)
	if err != nil {
		c.t.Fatal(err)
	}
	return token, id
}

func TestTheOperatorListsAndRevokesTokens(t *testing.T) {
	c := newTestFolder(t)
	c.tokens("add", "ana")
	token, id := c.mint("ana", "laptop")
	other, otherID := c.mint("ana", "phone")
	c.wantLogin(token, "ana")
	stdout, stderr, err := c.run("tokens", "ANA")
	if err != nil || !strings.Contains(stdout, id) || !strings.Contains(stdout, "phone") || !strings.Contains(stdout, "never") || strings.Contains(stdout, token) {
		t.Errorf("got %v, %s%s, want both tokens without their secrets", err, stdout, stderr)
	}
	stdout, _, _ = c.run("tokens", "--json", "ana")
	var list []struct {
		ID, Label string
		Scopes    []string
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 2 || list[0].ID != id || list[0].Scopes[0] != "all" {
		t.Errorf("got %s, %v, want JSON with both tokens", stdout, err)
	}
	if _, stderr, err := c.run("tokens", "--revoke", id, "ana"); err != nil || !strings.Contains(stderr, "1 tokens of ana revoked") {
		t.Errorf("got %v, %s, want one token revoked", err, stderr)
	}
	c.wantLogin(token, "")
	c.wantLogin(other, "ana")
	c.fails("ana has no token "+id, "tokens", "--revoke", id, "ana")
	if _, stderr, err := c.run("tokens", "--all", "ana"); err != nil || !strings.Contains(stderr, "1 tokens") {
		t.Errorf("got %v, %s, want the other token revoked", err, stderr)
	}
	c.wantLogin(other, "")
	c.fails("not registered: zoe", "tokens", "zoe")
	c.fails("tokens takes the name of a player", "tokens")
	c.fails("exclude each other", "tokens", "--all", "--revoke", otherID, "ana")
}

func TestTheOperatorRenamesAPlayerAndItsEntries(t *testing.T) {
	c := newTestFolder(t)
	token := c.tokens("add", "ana", "bob")["ana"]
	file, err := store.OpenContests(t.Context(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	o := contest.Organizer{Store: file}
	if _, err := o.Create(t.Context(), []byte("name: cup\ngame: roshambo\nformat: swiss\nrounds: 2\nentries: [{player: ana}, {player: bob}]\n")); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := c.run("rename", "ANA", "Anna"); err != nil || !strings.Contains(stderr, "ANA has the name Anna now") {
		t.Fatalf("got %v, %s, want a rename", err, stderr)
	}
	c.wantLogin(token, "Anna")
	if state, err := o.Load(t.Context(), "cup"); err != nil || state.Entries[0].Player != "Anna" {
		t.Errorf("got %+v, %v, want the entry Anna", state, err)
	}
	c.fails("ana has the name Anna now", "rename", "ana", "x")
	c.fails("ana is the name of the player Anna, or was", "rename", "bob", "ana")
	c.fails("not registered: zoe", "rename", "zoe", "x")
	c.fails("rename takes the name of a player", "rename", "bob")
}
