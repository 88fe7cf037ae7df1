package registry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
)

// open returns a registry with a store of its own, that takes Python for the game dama.
func open(t *testing.T, quotas store.SubmissionQuotas) (*Registry, *store.Store) {
	t.Helper()
	languages, err := language.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return New(s.Submissions(), Settings{
		Takes: func(game string) bool { return game == "dama" }, Games: func() []string { return []string{"chess", "dama"} }, Languages: languages,
		Allowed: []string{"python"}, Upload: 1000, Quotas: quotas, Changed: func() {}, Work: func(*Work) {},
		Ready: func(context.Context, *language.Language) error { return nil },
	}, slog.New(slog.DiscardHandler)), s
}

func wantRefusal(t *testing.T, what string, err error, status int, text string) {
	t.Helper()
	if r, ok := errors.AsType[*Refusal](err); !ok || r.Status != status || !strings.Contains(r.Text, text) {
		t.Errorf("%s: got %v, want status %d with %q", what, err, status, text)
	}
}

func TestWhatCannotBeHandedInIsRefusedWithItsReason(t *testing.T) {
	r, s := open(t, store.SubmissionQuotas{})
	submit := func(game, file, body string) error {
		_, err := r.Submit(t.Context(), "Ana", "a", game, file, []byte(body))
		return err
	}
	wantRefusal(t, "another game", submit("chess", "bot.py", "1"), 403, `it takes them for ["dama"]`)
	wantRefusal(t, "empty", submit("dama", "bot.py", ""), 422, "empty")
	wantRefusal(t, "too long", submit("dama", "bot.py", strings.Repeat("x", 1001)), 413, "1000 bytes")
	wantRefusal(t, "no zip", submit("dama", "bot.zip", "PK\x03\x04 broken"), 422, "zip")
	wantRefusal(t, "another language", submit("dama", "main.go", "package main\nfunc main() {}\n"), 422, "Python")
	if err := submit("dama", "bot.py", "1"); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "the same", submit("dama", "bot.py", "1"), 409, "the files of version 1")
	r.settings.Ready = func(context.Context, *language.Language) error { return errors.New("no python3") }
	wantRefusal(t, "a language without its tools", submit("dama", "bot.py", "2"), 422, "Python programs cannot be built")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := r.List(t.Context(), "Ana", "")
	wantRefusal(t, "a store that is closed", err, 503, "try again later")
}

func TestEachQuotaHasItsText(t *testing.T) {
	for text, quotas := range map[string]store.SubmissionQuotas{
		"1 versions within 24 hours":              {PerDay: 1},
		"1 versions have come from your address":  {PerDayAddress: 1},
		"1 of your versions wait":                 {Waiting: 1},
		"your versions would take more than":      {PlayerBytes: 1},
		"this host has no room for more programs": {AllBytes: 1},
	} {
		r, _ := open(t, quotas)
		_, err := r.Submit(t.Context(), "Ana", "a", "dama", "bot.py", []byte("1"))
		if err == nil {
			_, err = r.Submit(t.Context(), "Ana", "a", "dama", "bot.py", []byte("2"))
		}
		wantRefusal(t, text, err, 429, text)
	}
}

func TestAVersionCanBeReadActivatedPausedAndRemoved(t *testing.T) {
	r, s := open(t, store.SubmissionQuotas{})
	ctx, all := t.Context(), s.Submissions()
	for i, body := range []string{"1", "2"} {
		v, err := r.Submit(ctx, "Ana", "a", "dama", "bot.py", []byte(body))
		if err != nil || v.Version != i+1 || v.Position != i+1 || v.State != "queued" {
			t.Fatalf("got %+v, %v, want version %d at that place", v, err, i+1)
		}
	}
	_, err := r.Get(ctx, "Bob", "dama", 1)
	wantRefusal(t, "of another player", err, 404, "no such version")
	_, err = r.Activate(ctx, "Ana", "dama", 1)
	wantRefusal(t, "one that waits", err, 409, "version 1 is queued")
	one, _, err := all.Claim(ctx, "h")
	if err == nil {
		_, err = all.Accept(ctx, one.Number, "h", []string{"python3", "bot.py"}, nil)
	}
	if err == nil {
		err = r.Pause(ctx, "ana", "dama")
	}
	if v, got := r.Get(ctx, "Ana", "dama", 1); err != nil || got != nil || v.State != "accepted" || v.Active || v.Position != 0 {
		t.Fatalf("got %+v, %v, %v, want it accepted and paused", v, got, err)
	}
	if v, err := r.Activate(ctx, "Ana", "dama", 1); err != nil || !v.Active {
		t.Errorf("got %+v, %v, want it active", v, err)
	}
	zip, err := r.Source(ctx, "Ana", "dama", 1)
	if err != nil {
		t.Fatal(err)
	}
	tree, _, err := archive.Unpack("v1.zip", zip, archive.Limits{})
	if err != nil || len(tree) != 1 || tree[0].Path != "bot.py" || !bytes.Equal(tree[0].Data, []byte("1")) {
		t.Errorf("got %v, %v, want what was handed in", tree, err)
	}
	_, err = r.Journal(ctx, "Ana", "dama", 1, "ID")
	wantRefusal(t, "a match that it has not played", err, 404, "nothing is kept")
	if err := r.Remove(ctx, "Ana", "dama", 1); err != nil {
		t.Fatal(err)
	}
	_, err = r.Source(ctx, "Ana", "dama", 1)
	wantRefusal(t, "a removed one", err, 410, "version 1 was removed")
	wantRefusal(t, "removed again", r.Remove(ctx, "Ana", "dama", 1), 410, "version 1 was removed")
}
