package export

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/long"
)

var (
	may  = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	june = may.AddDate(0, 1, 0)
)

// numbered are records that are made as they are read: n matches, one each minute from the
// beginning of May.
type numbered struct {
	n     int
	stop  int // the number of the match at which Ended fails; 0: none
	bytes int // of each stream
}

var errStopped = errors.New("stopped")

func (r *numbered) Ended(ctx context.Context, q store.Range, limit int, visit func(*record.Match) error) (string, error) {
	i, _ := strconv.Atoi(q.After)
	for done := 0; i < r.n; i++ {
		m := r.match(i)
		if m.Ended.Before(q.Since) || !m.Ended.Before(q.Until) || q.Game != "" && m.Game != q.Game {
			continue
		}
		if r.stop > 0 && i >= r.stop {
			return "", errStopped
		}
		if err := visit(m); err != nil {
			return "", err
		}
		if done++; done == limit {
			return fmt.Sprint(i + 1), nil
		}
	}
	return "", ctx.Err()
}

func (r *numbered) match(i int) *record.Match {
	ended := may.Add(time.Duration(i) * time.Minute)
	m := &record.Match{
		ID: fmt.Sprintf("%013d", i), Name: "m", Game: []string{"roshambo", "dama"}[i%2], Plugin: "p", Version: "v", Args: map[string]string{}, Params: map[string]string{"rounds": "3"},
		Timeout: 30, Seed: uint64(i), Salt: []byte("sixteen\x00\x01 bytes."), Seats: []record.Seat{{Name: "ann", Score: 1, Rank: 1, Ended: "finished"}, {Name: "bob", Rank: 2, Ended: "finished"}},
		Started: ended.Add(-time.Minute), Ended: ended, State: record.Finished, Answers: []record.Answer{{Line: "ROCK", At: time.Second}, {Seat: 1, Line: "\xff", At: time.Second}},
		Stream: bytes.Repeat([]byte("ROCK\n"), 1+r.bytes/5),
	}
	if i%7 == 3 {
		m.State, m.Reason = record.Aborted, "the host stopped"
	}
	return m
}

// files returns the files of a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	return got
}

// signer returns a key that is always the same.
func signer(seed string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(seed, 32))[:32])
}

func publicOf(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func TestExportIsVerified(t *testing.T) {
	for _, tt := range []struct {
		name    string
		records numbered
		options Options
		matches int64
		parts   int
	}{
		{"one part", numbered{n: 250}, Options{Since: may, Until: june}, 250, 1},
		{"several parts", numbered{n: 1000}, Options{Since: may, Until: june, part: 1}, 1000, 5},
		{"a part that ends with the month", numbered{n: 400}, Options{Since: may, Until: june, part: 1}, 400, 2},
		{"one game", numbered{n: 250}, Options{Since: may, Until: june, Game: "dama"}, 125, 1},
		{"a day", numbered{n: 5000}, Options{Since: may.AddDate(0, 0, 1), Until: may.AddDate(0, 0, 2)}, 1440, 1},
		{"nothing", numbered{}, Options{Since: may, Until: june}, 0, 1},
		{"signed", numbered{n: 10}, Options{Since: may, Until: june, Key: signer("k"), Host: "https://club.example"}, 10, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "2026-05")
			m, err := Write(t.Context(), &tt.records, folder, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			var public ed25519.PublicKey
			if tt.options.Key != nil {
				public = publicOf(tt.options.Key)
			}
			again, err := Verify(t.Context(), folder, public, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again.Matches != tt.matches || len(again.Files) != tt.parts+1 || m.Matches != tt.matches || again.Host != tt.options.Host {
				t.Errorf("got %+v, want %d matches in %d parts", again, tt.matches, tt.parts)
			}
			want := []string{ManifestFile, SchemaFile}
			if public != nil {
				want = append(want, SignatureFile)
			}
			for i := range tt.parts {
				want = append(want, fmt.Sprintf("matches-%04d.ndjson.zst", i+1))
			}
			got := slices.Sorted(maps.Keys(files(t, folder)))
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("got the files %q, want %q", got, want)
			}
			if _, err := Write(t.Context(), &tt.records, folder, tt.options); !errors.Is(err, ErrExists) {
				t.Errorf("a second time: got %v, want ErrExists", err)
			}
			if left, err := filepath.Glob(folder + ".*"); len(left) > 0 || err != nil {
				t.Errorf("got %q left, want nothing", left)
			}
		})
	}
}

func TestExportThatWasStoppedGoesOn(t *testing.T) {
	dir := t.TempDir()
	options := Options{Since: may, Until: june, part: 1}
	whole, folder := filepath.Join(dir, "whole"), filepath.Join(dir, "stopped")
	if _, err := Write(t.Context(), &numbered{n: 1234}, whole, options); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{50, 250, 700, 1200} {
		if _, err := Write(t.Context(), &numbered{n: 1234, stop: at}, folder, options); !errors.Is(err, errStopped) {
			t.Fatalf("at match %d: got %v, want an error", at, err)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Fatalf("at match %d: the folder is there, want none before the end", at)
		}
	}
	other := options
	other.Game = "dama"
	if _, err := Write(t.Context(), &numbered{n: 1234}, folder, other); err == nil || !strings.Contains(err.Error(), "another export") {
		t.Errorf("with another game: got %v, want an error", err)
	}
	if _, err := Write(t.Context(), &numbered{n: 1234}, folder, options); err != nil {
		t.Fatal(err)
	}
	got, want := files(t, folder), files(t, whole)
	for _, list := range []map[string]string{got, want} {
		var m Manifest
		if err := json.Unmarshal([]byte(list[ManifestFile]), &m); err != nil {
			t.Fatal(err)
		}
		m.Created = time.Time{}
		text, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		list[ManifestFile] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got the files %q, want the same as without a stop: %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestFilesOfOthersAreNotRemoved(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	mine := filepath.Join(folder+partialSuffix, "My thesis.doc")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), &numbered{n: 1}, folder, Options{Since: may, Until: june}); err == nil {
		t.Error("got no error for a folder with another file, want one")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

func TestEachChangeOfAnExportIsFound(t *testing.T) {
	key := signer("k")
	folder := filepath.Join(t.TempDir(), "2026-05")
	if _, err := Write(t.Context(), &numbered{n: 400}, folder, Options{Since: may, Until: june, Key: key, part: 1}); err != nil {
		t.Fatal(err)
	}
	original := files(t, folder)
	const part = "matches-0002.ndjson.zst"
	flip := func(at int) func(string) string {
		return func(s string) string {
			b := []byte(s)
			b[(at+len(b))%len(b)] ^= 1
			return string(b)
		}
	}
	// signed replaces a text in the manifest, and signs that with the same key.
	signed := func(old, new string) map[string]string {
		text := strings.Replace(original[ManifestFile], old, new, 1)
		if text == original[ManifestFile] {
			t.Fatalf("the manifest has no %q", old)
		}
		return map[string]string{ManifestFile: text, SignatureFile: string(ed25519.Sign(key, []byte(text)))}
	}
	change := func(name string, f func(string) string) map[string]string {
		return map[string]string{name: f(original[name])}
	}
	cut := func(s string) string { return s[:len(s)-1] }
	grow := func(s string) string { return s + "x" }
	for _, tt := range []struct {
		name    string
		files   map[string]string
		removed string
		want    string
	}{
		{"a bit of a part", change(part, flip(100)), "", part + ": it is damaged or was changed"},
		{"the last bit of a part", change(part, flip(-1)), "", part + ": it is damaged or was changed"},
		{"a shorter part", change(part, cut), "", part + ": it is damaged or was changed"},
		{"a longer part", change(part, grow), "", part + ": it is damaged or was changed"},
		{"no part", nil, part, part},
		{"the schema", change(SchemaFile, grow), "", SchemaFile + ": it is damaged or was changed"},
		{"the manifest", change(ManifestFile, grow), "", ManifestFile},
		{"a space in the manifest", change(ManifestFile, func(s string) string { return " " + s }), "", "the signature is not that of"},
		{"the signature", change(SignatureFile, flip(5)), "", "the signature is not that of"},
		{"a longer signature", change(SignatureFile, grow), "", "manifest.sig has more than 64 bytes"},
		{"no signature", nil, SignatureFile, "it is not signed"},
		{"no manifest", nil, ManifestFile, ManifestFile},
		{"fewer matches", signed(`"matches": 400`, `"matches": 399`), "", "it has 399 matches, but its files have 400"},
		{"fewer of a game", signed(`"dama": 200,
    "roshambo": 200`, `"dama": 201,
    "roshambo": 199`), "", "the files have 2"},
		{"another time", signed(`"until": "2026-06-01`, `"until": "2026-05-01`), "", "not in the time of the export"},
		{"another game", signed(`"lines":`, `"game": "dama", "lines":`), "", `is one of "roshambo", not of "dama"`},
		{"a part twice", signed(part, "matches-0001.ndjson.zst"), "", "it has matches-0001.ndjson.zst twice"},
		{"a file outside", signed(part, "../2026-05/"+part), "", "is not the name of a file"},
		{"a part that is not there", signed(part, "matches-0003.ndjson.zst"), "", "matches-0003.ndjson.zst"},
		{"an unknown key", signed(`"lines":`, `"more": 1, "lines":`), "", "unknown field"},
		{"another format", signed(Format, "colosseum-export-2"), "", `its format is "colosseum-export-2"`},
		{"other lines", signed(record.TranscriptFormat, "colosseum-match-9"), "", "its lines are"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range original {
				if changed, ok := tt.files[name]; ok {
					text = changed
				}
				if name != tt.removed {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			for who, public := range map[string]ed25519.PublicKey{"with the key": publicOf(key), "without a key": nil} {
				if _, err := Verify(t.Context(), dir, public, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v, want an error with %q", who, err, tt.want)
				}
			}
		})
	}
	if _, err := Verify(t.Context(), folder, publicOf(signer("other")), nil); err == nil || !strings.Contains(err.Error(), "another key") {
		t.Errorf("with another key: got %v, want an error", err)
	}
	if _, err := Verify(t.Context(), folder, nil, nil); err != nil {
		t.Errorf("without a key: got %v, want no error", err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if _, err := Write(t.Context(), &numbered{n: 1}, plain, Options{Since: may, Until: june}); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), plain, publicOf(key), nil); err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("an export without a signature: got %v, want an error", err)
	}
}

func TestMemoryDoesNotGrowWithTheMatches(t *testing.T) {
	records := &numbered{n: 1000, bytes: 30_000}
	if long.Run() {
		records.n = 8_000
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const most = 20 << 20 // of 30 MB or more that are read
	before := live()
	var peak uint64
	look := func(matches int64) {
		if matches%200 == 0 {
			peak = max(peak, live())
		}
	}
	folder := filepath.Join(t.TempDir(), "x")
	if _, err := Write(t.Context(), records, folder, Options{Since: may, Until: june, Progress: look, part: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	written := peak
	peak = 0
	if _, err := Verify(t.Context(), folder, nil, look); err != nil {
		t.Fatal(err)
	}
	if written == 0 || written > before+most || peak == 0 || peak > before+most {
		t.Errorf("got %d MB while writing and %d MB while checking, after %d MB before, want at most %d MB more", written>>20, peak>>20, before>>20, most>>20)
	}
	t.Logf("%d MB, then %d MB while writing and %d MB while checking", before>>20, written>>20, peak>>20)
}

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		folder := filepath.Join(b.TempDir(), "x")
		if _, err := Write(b.Context(), &numbered{n: 10_000, bytes: 500}, folder, Options{Since: may, Until: june}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "matches/s")
}

func TestKeysAreReadAgain(t *testing.T) {
	private, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for path, text := range map[string][]byte{a: private, b: public} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ReadKey(a)
	if err != nil {
		t.Fatal(err)
	}
	if open, err := ReadPublicKey(b); err != nil || !open.Equal(key.Public()) {
		t.Errorf("got %v, %v, want the public key", open, err)
	}
	if _, err := ReadPublicKey(a); err == nil || !strings.Contains(err.Error(), "private") {
		t.Errorf("the private key as a public one: got %v, want an error that says so", err)
	}
	if _, err := ReadKey(b); err == nil {
		t.Error("the public key as a private one: got no error, want one")
	}
}

func TestMonthIsExportedOnceAnHourAfterItsEnd(t *testing.T) {
	m := &Monthly{Records: &numbered{n: 100}, Folder: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	for _, tt := range []struct {
		now  time.Time
		want []string
	}{
		{june.Add(59 * time.Minute), []string{"2026-04"}},
		{june.Add(time.Hour), []string{"2026-04", "2026-05"}},
		{june.AddDate(0, 1, 0), []string{"2026-04", "2026-05"}},
	} {
		for range 2 {
			if err := m.write(t.Context(), tt.now.In(time.FixedZone("", -9*3600))); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		entries, err := os.ReadDir(m.Folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("at %v: got %q, want %q", tt.now, got, tt.want)
		}
	}
	if done, err := Verify(t.Context(), filepath.Join(m.Folder, "2026-05"), nil, nil); err != nil || done.Matches != 100 {
		t.Errorf("got %+v, %v, want the 100 matches of May", done, err)
	}
}

// TestScriptInPythonVerifiesExports runs examples/data/verify.py, which shares no code with
// this package.
func TestScriptInPythonVerifiesExports(t *testing.T) {
	for _, program := range []string{"python3", "zstd", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: install the package of that name", program)
		}
	}
	if version, err := exec.Command("openssl", "version").Output(); err != nil || !strings.HasPrefix(string(version), "OpenSSL 3") {
		t.Skipf("openssl is %s, %v: install OpenSSL 3", version, err)
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "examples", "data", "verify.py"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	private, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"key": private, "key.pub": public} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ReadKey(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "2026-05")
	if _, err := Write(t.Context(), &numbered{n: 500}, folder, Options{Since: may, Until: june, Key: key, part: 1}); err != nil {
		t.Fatal(err)
	}
	check := func(name, want string, args ...string) {
		t.Helper()
		out, err := exec.Command("python3", append([]string{script, folder}, args...)...).CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != strings.Contains(want, "500 matches") {
			t.Errorf("%s: got %v, %s, want %q", name, err, out, want)
		}
	}
	check("signed", "2026-05 is verified: 500 matches, signed", "--public", filepath.Join(dir, "key.pub"))
	check("any key", "2026-05 is verified: 500 matches, the signature was not checked")
	manifest := filepath.Join(folder, ManifestFile)
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, append(text, ' '), 0o644); err != nil {
		t.Fatal(err)
	}
	check("changed manifest", "the signature is missing", "--public", filepath.Join(dir, "key.pub"))
	if err := os.Truncate(filepath.Join(folder, "matches-0002.ndjson.zst"), 100); err != nil {
		t.Fatal(err)
	}
	check("changed part", "matches-0002.ndjson.zst was changed")
}

// TestMatchesAreWrittenInTheNotationOfTheirGame runs examples/data/notation.mjs with lines as
// an export has them.
func TestMatchesAreWrittenInTheNotationOfTheirGame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed: install the package nodejs")
	}
	root := filepath.Join("..", "..", "..", "..")
	var lines bytes.Buffer
	for i, stream := range []string{
		"ann\nbob\nOK <f2> <f3>\nOK <e7> <e5>\nOK <g2> <g4>\nOK <d8> <h4>\nWINNER <BLACK>\n", "\xff", "ann\nbob\nOK <e2> <e4>\nRETIRE\nWINNER <BLACK>\n",
	} {
		m := (&numbered{}).match(0)
		m.ID, m.Game, m.Stream = fmt.Sprint("m", i), "chess", []byte(stream)
		m.Params, m.Seats[0].Rank, m.Seats[1].Rank = map[string]string{"start": "", "draws": "automatic"}, 2, 1
		for _, game := range []string{"chess", "other"} {
			m.Game = game
			line, err := record.EncodeTranscript(m)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(line)
		}
	}
	run := func(game, viewer string) (stdout, stderr string, err error) {
		cmd := exec.Command(node, filepath.Join(root, "examples", "data", "notation.mjs"), game, filepath.Join(root, "plugins", viewer, "viewer.js"))
		var out, text bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(lines.Bytes()), &out, &text
		err = cmd.Run()
		return out.String(), text.String(), err
	}
	stdout, stderr, err := run("chess", "chess")
	if err != nil || strings.Count(stdout, "[Event ") != 2 || !strings.Contains(stdout, "\n1. f3 e5 2. g4 Qh4# 0-1\n") || !strings.Contains(stdout, "\n1. e4 0-1\n") || !strings.Contains(stderr, "2 matches of chess written, 1 left out") {
		t.Errorf("got %v, %s, %s, want two matches as PGN", err, stdout, stderr)
	}
	if _, stderr, err := run("roshambo", "roshambo"); err == nil || !strings.Contains(stderr, "this game has no notation") {
		t.Errorf("a game without a notation: got %v, %s, want an error", err, stderr)
	}
}
