package players

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/store"
)

// defaults are the settings of a host without a configuration.
func defaults() Settings {
	return Settings{Registration: Open, PerHour: 20, Guesses: 20, Reserved: []string{"host", "server", "admin"}}
}

type setup struct {
	*Registry
	path string
	file *store.Players
	log  *bytes.Buffer
}

// open returns the registry of a new file. The caller must close the file, in a
// bubble of synctest before its end.
func open(t testing.TB, s Settings) *setup {
	t.Helper()
	f := &setup{path: filepath.Join(t.TempDir(), "record.db"), log: new(bytes.Buffer)}
	f.file = openFile(t, f.path)
	f.Registry = New(f.file, s, slog.New(slog.NewTextHandler(f.log, nil)))
	return f
}

func openFile(t testing.TB, path string) *store.Players {
	t.Helper()
	file, err := store.OpenPlayers(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func (f *setup) register(t testing.TB, name string) (token string) {
	t.Helper()
	token, err := f.Register(context.Background(), "", name, "")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (f *setup) wantLogin(t testing.TB, address, token, player string, want error) {
	t.Helper()
	if got, err := f.Authenticate(context.Background(), address, token, All); got != player || !errors.Is(err, want) {
		t.Errorf("a login from %q: got %q, %v, want %q, %v", address, got, err, player, want)
	}
}

func (f *setup) wantRegistration(t testing.TB, address, name, invite string, want error) {
	t.Helper()
	token, err := f.Register(context.Background(), address, name, invite)
	if !errors.Is(err, want) || (token != "") != (want == nil) {
		t.Errorf("a registration of %q from %q: got a token of %d bytes, %v, want the error %v", name, address, len(token), err, want)
	}
}

func TestAPlayerLogsInWithItsToken(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	token, other := f.register(t, "Ana"), f.register(t, "bob")
	if form := regexp.MustCompile(`^coco_[A-Za-z0-9_-]{43}$`); !form.MatchString(token) || token == other {
		t.Errorf("got the tokens %q and %q, want two of the form %v", token, other, form)
	}
	f.wantLogin(t, "a", token, "Ana", nil)
	f.wantLogin(t, "a", other, "bob", nil)
}

func TestATokenThatIsNotExactlyRightIsRefused(t *testing.T) {
	f := open(t, Settings{Registration: Open})
	defer f.file.Close()
	token := f.register(t, "Ana")
	hash := sha256.Sum256([]byte(token))
	for name, wrong := range map[string]string{
		"empty": "", "prefix": tokenPrefix, "unknown": newToken(), "cut": token[:len(token)-1], "longer": token + "A", "space": token + " ",
		"without its prefix": token[len(tokenPrefix):], "other prefix": "Coco_" + token[len(tokenPrefix):], "its name": "Ana",
		"upper case": tokenPrefix + strings.ToUpper(token[len(tokenPrefix):]), "SQL": tokenPrefix + "' OR name = 'Ana' OR '01234567890123456",
		"its hash": string(hash[:]), "its hash in hex": hex.EncodeToString(hash[:]),
		"its hash as a token": tokenPrefix + base64.RawURLEncoding.EncodeToString(hash[:]),
	} {
		t.Run(name, func(t *testing.T) { f.wantLogin(t, "", wrong, "", ErrToken) })
	}
}

func TestAStolenDatabaseHoldsNoSecret(t *testing.T) {
	f := open(t, Settings{Registration: Invite, Guesses: 20})
	ctx := context.Background()
	codes, err := f.Invite(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	token, err := f.Register(ctx, "", "Ana", codes[0])
	if err != nil {
		t.Fatal(err)
	}
	added, err := f.Add(ctx, []string{"bob"})
	if err != nil {
		t.Fatal(err)
	}
	reset, err := f.Reset(ctx, []string{"bob"})
	if err != nil {
		t.Fatal(err)
	}
	minted, _ := f.mint(t, "bob", "laptop", 0, All)
	secrets := append(codes, token, added[0].Token, reset[0].Token, minted)
	f.file.Close()

	db, err := sql.Open("sqlite", f.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stolen := dump(t, db)
	for _, want := range []string{"Ana", "bob"} {
		if !slices.Contains(stolen, want) {
			t.Fatalf("the dump has %q, want it to hold %s", stolen, want)
		}
	}
	file, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(stolen, "\n") + string(file)
	for _, s := range secrets {
		raw, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(s, tokenPrefix))
		for _, form := range []string{strings.TrimPrefix(s, tokenPrefix), string(raw), hex.EncodeToString(raw)} {
			for part := form; len(part) >= 10; part = part[1:] {
				if strings.Contains(all, part[:10]) {
					t.Errorf("the file holds %q, a part of a secret, want only hashes", part[:10])
				}
			}
		}
	}

	// Nothing in it lets anybody log in or register.
	f.file = openFile(t, f.path)
	defer f.file.Close()
	f.Registry = New(f.file, Settings{Registration: Invite}, slog.New(slog.DiscardHandler))
	for _, cell := range stolen {
		for _, try := range []string{cell, hex.EncodeToString([]byte(cell)), tokenPrefix + base64.RawURLEncoding.EncodeToString([]byte(cell))} {
			f.wantLogin(t, "", try, "", ErrToken)
			f.wantRegistration(t, "", "eve", try, ErrInvite)
		}
	}
	f.wantLogin(t, "", token, "Ana", nil)
}

// dump returns the values of all columns of all tables.
func dump(t *testing.T, db *sql.DB) (cells []string) {
	t.Helper()
	names, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	var tables []string
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	for _, table := range tables {
		rows, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			row, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for _, cell := range row {
				cells = append(cells, string(cell))
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return cells
}

func TestWrongTokensAndInvitationsAreLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, Settings{Registration: Invite, Guesses: 3})
		defer f.file.Close()
		added, err := f.Add(t.Context(), []string{"Ana"})
		if err != nil {
			t.Fatal(err)
		}
		f.wantLogin(t, "a", newToken(), "", ErrToken)
		f.wantLogin(t, "a", "nonsense", "", ErrToken)
		f.wantRegistration(t, "a", "bob", "WRONG", ErrInvite)
		for range 5 {
			f.wantLogin(t, "a", newToken(), "", ErrTooMany)
			f.wantRegistration(t, "a", "bob", "WRONG", ErrTooMany)
		}
		f.wantLogin(t, "b", newToken(), "", ErrToken) // another address
		for range 10 {
			f.wantLogin(t, "", newToken(), "", ErrToken) // an exempt one
		}
		f.wantLogin(t, "a", added[0].Token, "Ana", nil) // others behind the address can log in
		time.Sleep(time.Minute / 3)
		f.wantLogin(t, "a", newToken(), "", ErrToken)
		f.wantLogin(t, "a", newToken(), "", ErrTooMany)
		want := map[string]uint64{ResultOK: 1, ResultToken: 2 + 1 + 10 + 1, ResultGuesses: 5 + 1}
		if got := f.Stats().Logins; !maps.Equal(got, want) {
			t.Errorf("counted the logins %v, want %v", got, want)
		}
		want = map[string]uint64{ResultInvite: 1, ResultGuesses: 5}
		if got := f.Stats().Registrations; !maps.Equal(got, want) {
			t.Errorf("counted the registrations %v, want %v", got, want)
		}
	})
}

func TestAFloodOfRegistrationsIsLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		flood := func(address, name string, n, want int) {
			t.Helper()
			var wg sync.WaitGroup
			errs := make([]error, n)
			for i := range n {
				wg.Go(func() { _, errs[i] = f.Register(t.Context(), address, fmt.Sprint(name, i), "") })
			}
			wg.Wait()
			got := 0
			for _, err := range errs {
				switch {
				case err == nil:
					got++
				case !errors.Is(err, ErrTooOften):
					t.Errorf("got %v, want nil or %v", err, ErrTooOften)
				}
			}
			if got != want {
				t.Errorf("%d registrations at once from %q: got %d, want %d", n, address, got, want)
			}
		}
		flood("a", "a", 300, 20)
		flood("a", "b", 100, 0)
		flood("c", "c", 30, 20) // another address
		flood("", "d", 50, 50)  // an exempt one
		f.wantRegistration(t, "a", "d1", "", ErrTaken)
		f.wantRegistration(t, "a", "a player", "", ErrName) // neither counts
		time.Sleep(time.Hour / 20)
		flood("a", "e", 10, 1)
		time.Sleep(time.Hour)
		flood("a", "f", 30, 20)
		list, err := f.List(t.Context())
		if want := 20 + 20 + 50 + 1 + 20; len(list) != want || err != nil {
			t.Errorf("got %d players, %v, want %d", len(list), err, want)
		}
		if s := f.Stats(); s.Registrations[ResultOK] != uint64(len(list)) || s.Registrations[ResultOften] != 280+100+10+9+10 || s.Registrations[ResultName] != 2 {
			t.Errorf("counted %v, want %d registered, 409 too often and 2 names", s.Registrations, len(list))
		}
	})
}

func TestAFloodFromManyAddressesUsesBoundedMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPerHour(1)
		for i := range maxAddresses {
			if !p.allow(fmt.Sprint(i)) {
				t.Fatalf("address %d: got false, want true", i)
			}
		}
		if first, second := p.allow("x"), p.allow("y"); !first || second {
			t.Errorf("two more addresses: got %v, %v, want true, and then false, since they count as one", first, second)
		}
		if len(p.addresses) != maxAddresses {
			t.Errorf("got %d addresses, want %d", len(p.addresses), maxAddresses)
		}
		time.Sleep(time.Hour)
		if !p.allow("z") || len(p.addresses) != 1 {
			t.Errorf("an hour later: got %d addresses, want z alone", len(p.addresses))
		}
	})
}

func TestRegistrationFollowsItsMode(t *testing.T) {
	f := open(t, Settings{Registration: Closed, PerHour: 20, Guesses: 20})
	defer f.file.Close()
	codes, err := f.Invite(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	f.wantRegistration(t, "a", "ana", codes[0], ErrClosed)
	f.SetSettings(Settings{Registration: Invite, PerHour: 20, Guesses: 20})
	f.wantRegistration(t, "a", "ana", "", ErrInvite)
	f.wantRegistration(t, "a", "no name", codes[0], ErrName)
	f.wantRegistration(t, "a", "ana", strings.ToLower(codes[0]), nil) // typed by hand
	f.wantRegistration(t, "a", "bob", codes[0], ErrInvite)
	f.wantRegistration(t, "a", "ANA", codes[1], ErrTaken)
	f.SetSettings(Settings{Registration: Open})
	f.wantRegistration(t, "a", "bob", codes[1], nil) // does not use it up
	f.SetSettings(Settings{Registration: Invite})
	f.wantRegistration(t, "a", "carl", codes[1], nil)
	if got := f.Registration(); got != Invite {
		t.Errorf("Registration: got %q, want %q", got, Invite)
	}
}

func TestAReloadChangesTheLimits(t *testing.T) {
	f := open(t, Settings{Registration: Open, PerHour: 1, Guesses: 1})
	defer f.file.Close()
	f.wantRegistration(t, "a", "p1", "", nil)
	f.wantRegistration(t, "a", "p2", "", ErrTooOften)
	f.wantLogin(t, "a", newToken(), "", ErrToken)
	f.SetSettings(Settings{Registration: Open, PerHour: 1, Guesses: 1}) // the same
	f.wantRegistration(t, "a", "p2", "", ErrTooOften)
	f.wantLogin(t, "a", newToken(), "", ErrTooMany)
	f.SetSettings(Settings{Registration: Open, PerHour: 2, Guesses: 2})
	f.wantRegistration(t, "a", "p2", "", nil)
	f.wantRegistration(t, "a", "p3", "", nil)
	f.wantRegistration(t, "a", "p4", "", ErrTooOften)
	f.wantLogin(t, "a", newToken(), "", ErrToken)
	f.SetSettings(Settings{Registration: Open}) // no limits
	for i := range 30 {
		f.wantRegistration(t, "a", fmt.Sprint("q", i), "", nil)
		f.wantLogin(t, "a", newToken(), "", ErrToken)
	}
}

func TestNamesBelongToOnePlayerWhateverTheirCase(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	f.register(t, "Ana")
	gone := f.register(t, "gone")
	f.register(t, "x")
	f.register(t, "0123456789abcdeF")
	if _, err := f.Remove(t.Context(), []string{"GONE"}); err != nil {
		t.Fatal(err)
	}
	f.wantLogin(t, "", gone, "", ErrToken)
	tests := []struct {
		name, owner string
		register    error
	}{
		{"Ana", "Ana", ErrTaken},
		{"aNA", "Ana", ErrTaken},
		{"gone", "gone", ErrTaken},
		{"Gone", "gone", ErrTaken},
		{"0123456789ABCDEF", "0123456789abcdeF", ErrTaken},
		{"admin", "admin", ErrTaken},
		{"Host", "Host", ErrTaken},
		{"free", "", nil},
		{"a.B-c_1", "", nil},
		{"9", "", nil},
		{"", "", ErrName},
		{"Ana ", "", ErrName},
		{"Ana\n", "", ErrName},
		{"-ana", "", ErrName},
		{".ana", "", ErrName},
		{"_ana", "", ErrName},
		{"a b", "", ErrName},
		{"a%", "", ErrName},
		{"Žofie", "", ErrName},
		{"a\u212ab", "", ErrName}, // the Kelvin sign, which folds to k
		{"0123456789abcdef0", "", ErrName},
		{"' OR 1 --", "", ErrName},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := f.Owner(t.Context(), tt.name); got != tt.owner || err != nil {
				t.Errorf("Owner: got %q, %v, want %q", got, err, tt.owner)
			}
			f.wantRegistration(t, "", tt.name, "", tt.register)
		})
	}
}

func TestAPlayerThatWasRegisteredBeforeItsNameWasReservedKeepsIt(t *testing.T) {
	f := open(t, Settings{Registration: Open})
	defer f.file.Close()
	token := f.register(t, "Admin")
	f.SetSettings(defaults())
	f.wantLogin(t, "", token, "Admin", nil)
	if got, err := f.Owner(t.Context(), "ADMIN"); got != "Admin" || err != nil {
		t.Errorf("Owner: got %q, %v, want Admin", got, err)
	}
}

func TestManyRegistrationsOfOneNameGiveItToOnePlayer(t *testing.T) {
	f := open(t, Settings{Registration: Open})
	defer f.file.Close()
	var wg sync.WaitGroup
	tokens := make([]string, 50)
	for i := range tokens {
		wg.Go(func() {
			name := []string{"ana", "ANA"}[i%2]
			var err error
			if tokens[i], err = f.Register(t.Context(), "a", name, ""); err != nil && !errors.Is(err, ErrTaken) {
				t.Errorf("got %v, want nil or %v", err, ErrTaken)
			}
		})
	}
	wg.Wait()
	tokens = slices.DeleteFunc(tokens, func(token string) bool { return token == "" })
	if len(tokens) != 1 {
		t.Fatalf("got %d players, want 1", len(tokens))
	}
	owner, err := f.Owner(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	f.wantLogin(t, "", tokens[0], owner, nil)
}

func TestChangesByAnotherProcessCountAtOnce(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	file := openFile(t, f.path)
	defer file.Close()
	operator := New(file, defaults(), slog.New(slog.DiscardHandler))
	if got, err := f.Owner(t.Context(), "ana"); got != "" || err != nil {
		t.Fatalf("Owner before: got %q, %v, want none", got, err)
	}
	added, err := operator.Add(t.Context(), []string{"Ana"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Owner(t.Context(), "ana"); got != "Ana" || err != nil {
		t.Errorf("Owner after: got %q, %v, want Ana", got, err)
	}
	f.wantLogin(t, "", added[0].Token, "Ana", nil)
	reset, err := operator.Reset(t.Context(), []string{"ana"})
	if err != nil {
		t.Fatal(err)
	}
	f.wantLogin(t, "", added[0].Token, "", ErrToken)
	f.wantLogin(t, "", reset[0].Token, "Ana", nil)
	old, current := LoginOf(added[0].Token), LoginOf(reset[0].Token)
	valid, err := f.Valid(t.Context(), append(slices.Repeat([]Login{old}, 1200), current)) // more than one statement has
	if _, ok := valid[current]; err != nil || !ok || len(valid) != 1 {
		t.Errorf("got %d valid logins and %v, want the one with the new token", len(valid), err)
	}
	if _, err := operator.Remove(t.Context(), []string{"ana"}); err != nil {
		t.Fatal(err)
	}
	if valid, err := f.Valid(t.Context(), []Login{current}); err != nil || len(valid) != 0 {
		t.Errorf("after a removal: got %d valid logins and %v, want none", len(valid), err)
	}
}

func TestTheOperatorAddsAllPlayersOrNone(t *testing.T) {
	f := open(t, Settings{Registration: Closed, PerHour: 1, Reserved: []string{"admin"}})
	defer f.file.Close()
	f.Add(t.Context(), []string{"Old"})
	_, err := f.Add(t.Context(), []string{"new", "OLD", "", "x y", "Admin", "bob", "New", "NEW"})
	var problems ProblemsError
	if !errors.As(err, &problems) {
		t.Fatalf("got %v, want a ProblemsError", err)
	}
	wants := []Problem{
		{1, "the player Old exists"}, {2, `"": the name of a player has`}, {3, `"x y": the name of a player has`},
		{4, "players.reserved"}, {6, "twice (also as new)"}, {7, "twice (also as new)"},
	}
	if len(problems) != len(wants) {
		t.Fatalf("got %v, want %v", problems, wants)
	}
	for i, want := range wants {
		if got := problems[i]; got.Index != want.Index || !strings.Contains(got.Text, want.Text) {
			t.Errorf("problem %d: got %+v, want %+v", i, got, want)
		}
	}
	list, err := f.List(t.Context())
	if len(list) != 1 || err != nil {
		t.Errorf("got the players %+v, %v, want Old alone", list, err)
	}
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("pupil", i))
	}
	issued, err := f.Add(t.Context(), names)
	if len(issued) != 40 || err != nil {
		t.Fatalf("got %d tokens, %v, want 40", len(issued), err)
	}
	for i, one := range issued {
		f.wantLogin(t, "", one.Token, names[i], nil)
	}
}

func TestResetRefusesANameTwice(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	token := f.register(t, "Ana")
	if _, err := f.Reset(t.Context(), []string{"ana", "Ana"}); err == nil || !strings.Contains(err.Error(), "named twice") {
		t.Errorf("got %v, want an error about the name", err)
	}
	f.wantLogin(t, "", token, "Ana", nil)
}

func TestRunStoresWhenPlayersLoggedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		ana, bob := f.register(t, "ana"), f.register(t, "bob")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); f.Run(ctx) }() // ends with ctx
		want := func(when string, want ...time.Time) {
			t.Helper()
			list, err := f.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range list {
				if !p.Seen.Equal(want[i]) {
					t.Errorf("%s: %s was last seen at %v, want %v", when, p.Name, p.Seen, want[i])
				}
			}
		}
		time.Sleep(10 * time.Second)
		first := time.Now()
		f.wantLogin(t, "", ana, "ana", nil)
		want("at once", time.Time{}, time.Time{})
		time.Sleep(storeSeen)
		synctest.Wait()
		want("a minute later", first, time.Time{})
		f.wantLogin(t, "", bob, "bob", nil)
		last := time.Now()
		cancel()
		<-done
		want("at the end", first, last)
	})
}

func TestNamesThatWereReadCountWhileThePlayersCannotBeRead(t *testing.T) {
	f := open(t, defaults())
	f.register(t, "Ann")
	f.remember(t.Context())
	f.register(t, "late")
	want := func(when string, owners map[string]string) {
		t.Helper()
		for name, want := range owners {
			if got, err := f.Owner(t.Context(), name); got != want || err != nil {
				t.Errorf("%s: got the owner %q of %q, %v, want %q", when, got, name, err, want)
			}
		}
	}
	want("before", map[string]string{"ann": "Ann", "late": "late", "zoe": "", "admin": "admin"})
	f.file.Close()
	want("while they cannot be read", map[string]string{"ann": "Ann", "late": "", "zoe": "", "admin": "admin"})
	if got := strings.Count(f.log.String(), "could not read the registered players"); got != 1 {
		t.Errorf("got %d lines about it in the log, want 1:\n%s", got, f.log)
	}
	f.wantRegistration(t, "", "zoe", "", ErrUnavailable)
}

func TestAFailureOfTheFileIsLoggedWithoutSecrets(t *testing.T) {
	f := open(t, Settings{Registration: Invite})
	token := newToken()
	f.file.Close()
	f.wantLogin(t, "a", token, "", ErrUnavailable)
	f.wantRegistration(t, "a", "ana", "SECRETCODE", ErrUnavailable)
	if _, err := f.Owner(t.Context(), "ana"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Owner: got %v, want %v", err, ErrUnavailable)
	}
	log := f.log.String()
	if !strings.Contains(log, "could not use the registered players") || strings.Contains(log, token[len(tokenPrefix):]) || strings.Contains(log, "SECRETCODE") {
		t.Errorf("got the log\n%s\nwant the error, and no secret", log)
	}
	if got := f.Stats(); got.Logins[ResultHostFail] != 1 || got.Registrations[ResultHostFail] != 1 {
		t.Errorf("counted %+v, want one login and one registration as unavailable", got)
	}
}
