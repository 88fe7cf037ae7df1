//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
)

// collector is a host that takes programs for kamisado. Ana's next version is 3.
type collector struct {
	t   *testing.T
	url string

	busy atomic.Int32 // how many of the next requests are refused for a short time

	mu       sync.Mutex // guards the fields below
	list     string     // the answer to /api/submissions
	status   int        // of the answer to changes; 0: success
	answer   string     // to changes, if status is not 0
	requests []string   // in order, without those that follow a build
	uploads  [][]byte
	build    []stage // the next answers to those that follow a build; the last one repeats
	log      string  // the output of the build until now
}

// stage is what a host answers about a build.
type stage struct {
	state, fault, reason string
	position             int
	active               bool
	more                 string                                   // output
	do                   func(http.ResponseWriter, *http.Request) // instead of an answer
}

const collected = `{"submissions":[` +
	`{"game":"kamisado","version":2,"player":"ana","language":"go","state":"accepted","fault":"","reason":"","created":"2027-03-01T17:00:00Z","changed":"2027-03-01T17:00:00Z","bytes":2048,"hash":"00","active":true,"rests":false,"failures":0},` +
	`{"game":"dama","version":1,"player":"ana","language":"c","state":"refused","fault":"program","reason":"main.c:1: \u001b[31mno","created":"2027-03-01T16:00:00Z","bytes":20,"hash":"00"}],` +
	`"games":["kamisado","dama"],"languages":[{"name":"go","title":"Go","version":"1.26"}],"most":1000000}`

func newCollector(t *testing.T, build ...stage) *collector {
	c := &collector{t: t, list: collected, build: build}
	mux := http.NewServeMux()
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	mux.HandleFunc("GET /api/submissions", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, _ = io.WriteString(w, c.list)
	})
	const of = " /api/games/kamisado/submissions"
	mux.HandleFunc("GET"+of, answer(`{"submissions":[{"game":"kamisado","version":2,"language":"go","state":"queued","position":4}]}`))
	mux.HandleFunc("GET /api/games/lgo/submissions", answer(`{"submissions":[]}`))
	mux.HandleFunc("POST"+of, c.change(`{"game":"kamisado","version":3,"state":"queued"}`))
	mux.HandleFunc("GET"+of+"/3", c.progress)
	mux.HandleFunc("POST"+of+"/3/active", c.change(`{}`))
	mux.HandleFunc("DELETE"+of+"/active", c.change(`{}`))
	mux.HandleFunc("DELETE"+of+"/3", c.change(`{}`))
	mux.HandleFunc("GET"+of+"/3/source.zip", answer("a zip"))
	mux.HandleFunc("GET"+of+"/3/journals/{match}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("match") != matchID {
			refuse(w, 404, "nothing is kept of this match")
			return
		}
		_, _ = io.WriteString(w, `{"match":"`+matchID+`","text":"stderr \u001b[2J\n"}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "there is no such version") })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+anaToken {
			t.Errorf("%s: got the token %q, want Ana's", r.URL, got)
		}
		if c.busy.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "5")
			refuse(w, 503, "too many requests are waiting")
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	c.url = "ws" + strings.TrimPrefix(web.URL, "http") + "/"
	return c
}

// change handles a request that changes something.
func (c *collector) change(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		status, text := cmp.Or(c.status, 200), c.answer
		c.requests = append(c.requests, r.Method+" "+r.URL.String())
		c.mu.Unlock()
		if status != 200 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			c.t.Errorf("%s: got %v, want the body", r.URL, err)
		}
		if r.Header.Get("Content-Type") == "application/octet-stream" {
			c.mu.Lock()
			c.uploads = append(c.uploads, body)
			c.mu.Unlock()
		}
		_, _ = io.WriteString(w, answer)
	}
}

func (c *collector) progress(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.build[0]
	if c.build[0].more = ""; len(c.build) > 1 {
		c.build = c.build[1:]
	}
	if s.do != nil {
		c.mu.Unlock()
		defer c.mu.Lock()
		s.do(w, r)
		return
	}
	c.log += s.more
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil || from > len(c.log) {
		c.t.Errorf("got the request %s, want a place in an output of %d bytes", r.URL, len(c.log))
		from = 0
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"game": "kamisado", "version": 3, "state": s.state, "fault": s.fault, "reason": s.reason, "position": s.position, "active": s.active,
		"log": c.log[from:], "total": len(c.log),
	})
}

// refuseWith sets the answer to requests that change something.
func (c *collector) refuseWith(status int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.answer = status, text
}

// changes returns the requests that change something since the last call.
func (c *collector) changes() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.requests
	c.requests = nil
	return strings.Join(list, "\n")
}

func (c *collector) coco(want int, args ...string) (stdout, stderr string) {
	c.t.Helper()
	return newUser(c.t).coco(want, "", c.url, append([]string{"TZ=UTC", "COCO_TOKEN=" + anaToken}, args...)...)
}

var accepted = stage{state: "accepted", active: true}

func aborted(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestBuildIsShownAsItRuns(t *testing.T) {
	t.Parallel()
	c := newCollector(t,
		stage{state: "queued", position: 4}, stage{state: "queued", position: 4}, stage{state: "queued", position: 1}, stage{state: "building"},
		stage{state: "building", more: "compiling\x1b[31m a\u202e\r\nb"}, stage{do: func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "busy\x1b[2J") }}, stage{do: aborted},
		stage{state: "building", more: "c"}, stage{state: "queued", fault: "host", reason: "the disk is full", position: 1}, stage{state: "trying", more: "ok\n"}, accepted)
	bot := filepath.Join(filetree.New(t, map[string]string{"bot/main.go": "package main", "bot/.git/config": "x"}), "bot")
	stdout, stderr := c.coco(0, "submit", "kamisado", bot)
	wantText(t, "stdout", stdout, `> Handed in kamisado v3
> queued: 3 before it
> queued: it is next
> building
compiling\x1b[31m a\u202e
bc
> tried again, after a fault of the host: the disk is full (your program does not have to be sent again)
ok
> trying: it plays against a bot of the game
kamisado v3 is accepted and plays from now on
`)
	wantPart(t, "stderr", stderr, `503 Service Unavailable: busy\x1b[2J: trying again`+"\n")
	if n := strings.Count(stderr, "warning"); n != 1 {
		t.Errorf("got %d warnings in %q, want one for both attempts", n, stderr)
	}
	wantText(t, "requests", c.changes(), "POST /api/games/kamisado/submissions?file=bot.zip")
	z, err := zip.NewReader(bytes.NewReader(c.uploads[0]), int64(len(c.uploads[0])))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "main.go" {
		t.Errorf("got %v and %v, want a zip with main.go alone", z, err)
	}
}

func TestProgramIsHandedInToABusyServer(t *testing.T) {
	t.Parallel()
	c := newCollector(t, accepted)
	bot := filepath.Join(filetree.New(t, map[string]string{"bot.py": "print()"}), "bot.py")
	c.busy.Store(2)
	stdout, stderr := c.coco(0, "submit", "--no-wait", "kamisado", bot)
	wantPart(t, "stdout", stdout, "kamisado v3 has arrived")
	wantPart(t, "stderr", stderr, "too many requests are waiting; trying again for up to a minute\n")
}

func TestEndOfABuildDecidesTheExitCode(t *testing.T) {
	t.Parallel()
	bot := filepath.Join(filetree.New(t, map[string]string{"my bot.py": "print()"}), "my bot.py")
	for _, tt := range []struct {
		name   string
		end    stage
		code   int
		stdout string
		stderr string
	}{
		{"refused", stage{state: "refused", fault: "program", reason: "it does not compile\x1b[2J", more: "error"}, 5, "error\n", "coco: kamisado v3 is refused, by a fault of your program: it does not compile\\x1b[2J\n"},
		{"a fault of the host", stage{state: "refused", fault: "host", reason: "no compiler"}, 4, "", "by a fault of the host: no compiler (your program does not have to be sent again)\n"},
		{"removed", stage{state: "removed"}, 4, "", "coco: kamisado v3 was removed\n"},
		{"accepted, but another version plays", stage{state: "accepted"}, 0, "kamisado v3 is accepted; coco submissions activate kamisado 3 lets it play\n", ""},
		{"the player has lost its token", stage{do: func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "the token is wrong") }}, 4, "", "the token is wrong (it is that of COCO_TOKEN)\n"},
		{"an endless answer", stage{do: func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20))
			}
		}}, 3, "", "the server's answer is longer than 4 MiB; the build goes on, and coco submissions log kamisado 3 shows it\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t, tt.end)
			stdout, stderr := c.coco(tt.code, "submit", "kamisado", bot)
			wantPart(t, "stdout", stdout, tt.stdout)
			wantPart(t, "stderr", stderr, tt.stderr)
			wantText(t, "requests", c.changes(), "POST /api/games/kamisado/submissions?file=my+bot.py")
			wantText(t, "upload", string(c.uploads[0]), "print()")
		})
	}
}

func TestSignalEndsTheFollowingAndNotTheBuild(t *testing.T) {
	t.Parallel()
	reached := make(chan bool, 1)
	c := newCollector(t, stage{state: "building", more: "half a line"}, stage{do: func(_ http.ResponseWriter, r *http.Request) {
		reached <- true
		<-r.Context().Done()
	}})
	bot := filetree.New(t, map[string]string{"bot.py": "print()"})
	r := start(t, "", "COCO_TOKEN="+anaToken, "-s", c.url, "submit", "kamisado", bot)
	poll.Receive(t, "coco waits for news", reached)
	_ = r.cmd.Process.Signal(os.Interrupt)
	r.wantExit(130)
	wantText(t, "stdout", r.stdout.String(), "> Handed in kamisado v3\n> building\nhalf a line\n")
	wantText(t, "stderr", r.stderr.String(), "coco: stopped: interrupt; the build goes on, and coco submissions log kamisado 3 shows it\n")
}

func TestSubmitWithoutWaitingAndAsJSON(t *testing.T) {
	t.Parallel()
	bot := filepath.Join(filetree.New(t, map[string]string{"bot.py": "print()"}), "bot.py")
	c := newCollector(t, stage{state: "building", more: "log"}, accepted)
	stdout, stderr := c.coco(0, "submit", "kamisado", bot, "--no-wait")
	wantText(t, "stdout", stdout+stderr, "kamisado v3 has arrived; coco submissions log kamisado 3 shows its build\n")
	stdout, _ = c.coco(0, "submit", "--no-wait", "--json", "kamisado", bot)
	wantText(t, "JSON at once", stdout, "{\n  \"game\": \"kamisado\",\n  \"version\": 3,\n  \"state\": \"queued\"\n}\n")
	stdout, stderr = c.coco(0, "submit", "--json", "kamisado", bot)
	wantText(t, "stderr", stderr, "")
	var end struct{ State, Log string }
	if err := json.Unmarshal([]byte(stdout), &end); err != nil || end.State != "accepted" || end.Log != "log" {
		t.Errorf("got %q, %v, want JSON with the state accepted and the whole output", stdout, err)
	}
	refused := newCollector(t, stage{state: "refused", fault: "program", reason: "no"})
	stdout, stderr = refused.coco(5, "submit", "--json", "kamisado", bot)
	wantPart(t, "stdout", stdout, `"state": "refused"`)
	wantPart(t, "stderr", stderr, "by a fault of your program: no\n")
}

func TestProgramThatIsNotTakenIsExplained(t *testing.T) {
	t.Parallel()
	folder := filetree.New(t, map[string]string{"bot.py": strings.Repeat("x", 1_000_000), "long.py": strings.Repeat("x", 1_000_001), "links/a.py": "a"})
	filetree.Made(t, os.Symlink("a.py", filepath.Join(folder, "links", "b.py")))
	bot := filepath.Join(folder, "bot.py")
	c := newCollector(t, accepted)
	for _, tt := range []struct {
		name   string
		status int
		answer string
		code   int
		want   string
	}{
		{"the same again", 409, `{"error":"it is the same as v2"}`, 4, "coco: cannot hand in the program: it is the same as v2\n"},
		{"too long", 413, `{"error":"it has more than 10 MiB"}`, 4, "it has more than 10 MiB\n"},
		{"a bad archive", 422, `{"error":"a/../b: \u001b[2J"}`, 4, `a/../b: \x1b[2J`},
		{"a quota", 429, `{"error":"5 versions a day"}`, 4, "429 Too Many Requests: 5 versions a day\n"},
		{"a wrong token", 401, `{"error":"the token is wrong"}`, 4, "the token is wrong (it is that of COCO_TOKEN)\n"},
		{"a busy host", 503, `{"error":"later"}`, 3, "503 Service Unavailable: later (coco submissions kamisado shows whether the program has arrived)\n"},
	} {
		c.refuseWith(tt.status, tt.answer)
		_, stderr := c.coco(tt.code, "submit", "kamisado", bot)
		wantPart(t, tt.name, stderr, tt.want)
	}
	c.changes()
	for _, tt := range []struct {
		name, args string
		code       int
		want       string
	}{
		{"an unknown game", "submit|chess|" + bot, 4, `takes no programs for the game "chess" (only for kamisado, dama)`},
		{"no name of a game", "submit|../x|" + bot, 2, `"../x" cannot be the name of a game`},
		{"no file", "submit|kamisado|" + folder + "/none", 2, "no such file"},
		{"a long file", "submit|kamisado|" + folder + "/long.py", 2, "long.py is too long: the server takes at most 1000000 bytes"},
		{"a link", "submit|kamisado|" + folder + "/links", 2, "links/b.py is a link, which cannot be handed in"},
		{"no path", "submit|kamisado", 2, "submit needs more arguments"},
	} {
		_, stderr := c.coco(tt.code, strings.Split(tt.args, "|")...)
		wantPart(t, tt.name, stderr, tt.want)
	}
	wantText(t, "requests", c.changes(), "")
	_, stderr := newUser(t).coco(4, "", c.url, "submit", "kamisado", bot)
	wantPart(t, "without a player", stderr, "you have no player on ")
}

func TestServersThatTakeNoPrograms(t *testing.T) {
	t.Parallel()
	bot := filepath.Join(filetree.New(t, map[string]string{"bot.py": "print()"}), "bot.py")
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		code   int
		want   string
	}{
		{"an older host", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "there is no such address") }, 4, "takes no programs: none can be handed in there\n"},
		{"a host that takes none", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "this host takes no programs") }, 4, "this host takes no programs\n"},
		{"a host without games for it", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"submissions":[],"games":[]}`)
		}, 4, "takes programs for no game now\n"},
		{"the original server", aborted, 3, "does not answer HTTP requests"},
		{"a proxy with a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html>") }, 3, "the server's answer is not JSON"},
	} {
		web := httptest.NewServer(tt.answer)
		t.Cleanup(web.Close)
		_, stderr := newUser(t).coco(tt.code, "", "ws"+strings.TrimPrefix(web.URL, "http"), "COCO_TOKEN="+anaToken, "submit", "kamisado", bot)
		wantPart(t, tt.name, stderr, tt.want)
	}
}

func TestSubmissionsAreListed(t *testing.T) {
	t.Parallel()
	c := newCollector(t, accepted)
	stdout, _ := c.coco(0, "submissions")
	for _, part := range []string{
		"|   Game   | Version | Language |  State  | Size  |    Handed in     |",
		"| kamisado |    2    |    go    |  plays  | 2 KiB | 2027-03-01 17:00 |",
		`| refused | 20 B  | 2027-03-01 16:00 | main.c:1: \x1b[31mno |`,
	} {
		wantPart(t, "stdout", stdout, part)
	}
	stdout, _ = c.coco(0, "submissions", "kamisado")
	wantPart(t, "stdout", stdout, "| queued: 3 before it |")
	stdout, _ = c.coco(0, "submissions", "--json", "kamisado")
	wantPart(t, "JSON", stdout, "{\n  \"submissions\": [\n    {\n")
	stdout, _ = c.coco(0, "submissions", "--json")
	wantPart(t, "JSON", stdout, `"most": 1000000`)
	_, stderr := c.coco(4, "submissions", "lgo")
	wantPart(t, "stderr", stderr, `takes no programs for the game "lgo"`)
	_, stderr = c.coco(2, "submissions", "../x")
	wantPart(t, "stderr", stderr, `"../x" cannot be the name of a game`)
}

func TestLogOfASubmissionIsPrinted(t *testing.T) {
	t.Parallel()
	c := newCollector(t, stage{state: "refused", fault: "program", reason: "no main", more: "a\x1b[2J\nb"})
	stdout, _ := c.coco(0, "submissions", "log", "kamisado", "v3")
	wantText(t, "stdout", stdout, "a\\x1b[2J\nb\n> kamisado v3: refused (a fault of your program): no main\n")
	stdout, _ = c.coco(0, "submissions", "log", "--json", "kamisado", "3")
	wantPart(t, "JSON", stdout, `"log": "a\u001b[2J\nb"`)
	stdout, _ = c.coco(0, "submissions", "log", "kamisado", "3", "--match", matchID)
	wantText(t, "journal", stdout, "stderr \\x1b[2J\n")
	_, stderr := c.coco(4, "submissions", "log", "kamisado", "3", "--match", "0000000000000")
	wantPart(t, "stderr", stderr, "cannot get what kamisado v3 wrote in the match 0000000000000: nothing is kept of this match\n")
	_, stderr = c.coco(4, "submissions", "log", "kamisado", "7")
	wantPart(t, "stderr", stderr, "cannot get kamisado v7: there is no such version\n")
	for _, args := range []string{"kamisado 0", "kamisado x", "kamisado -- -1", "kamisado 3 --match ../x", "kamisado 3 --match", "kamisado 3 --json --match " + matchID} {
		c.coco(2, append([]string{"submissions", "log"}, strings.Fields(args)...)...)
	}
}

func TestSubmissionsAreChanged(t *testing.T) {
	t.Parallel()
	c := newCollector(t, accepted)
	for _, tt := range []struct{ args, want string }{
		{"activate kamisado 3", "kamisado v3 plays from now on\n"},
		{"pause kamisado", "No version of yours plays kamisado now; coco submissions activate kamisado VERSION lets one play\n"},
		{"remove --yes kamisado 3", "Deleted kamisado v3\n"},
	} {
		stdout, stderr := c.coco(0, append([]string{"submissions"}, strings.Fields(tt.args)...)...)
		wantText(t, tt.args, stdout+stderr, tt.want)
	}
	const of = " /api/games/kamisado/submissions"
	wantText(t, "requests", c.changes(), "POST"+of+"/3/active\nDELETE"+of+"/active\nDELETE"+of+"/3")
	_, stderr := c.coco(2, "submissions", "remove", "kamisado", "3")
	wantPart(t, "stderr", stderr, "--yes does it without asking")
	wantText(t, "requests", c.changes(), "")
	c.refuseWith(409, `{"error":"it is not accepted"}`)
	for _, tt := range []struct{ args, want string }{
		{"activate kamisado 3", "coco: cannot activate kamisado v3: it is not accepted\n"},
		{"pause kamisado", "coco: cannot pause your program for kamisado: it is not accepted\n"},
		{"remove --yes kamisado 3", "coco: cannot remove kamisado v3: it is not accepted\n"},
	} {
		_, stderr := c.coco(4, append([]string{"submissions"}, strings.Fields(tt.args)...)...)
		wantText(t, tt.args, stderr, tt.want)
	}
}

func TestSourceIsDownloadedToANewFile(t *testing.T) {
	t.Parallel()
	c, folder := newCollector(t, accepted), t.TempDir()
	file := filepath.Join(folder, "mine.zip")
	want := func(text string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	stdout, _ := c.coco(0, "submissions", "download", "kamisado", "3", file)
	wantText(t, "stdout", stdout, fmt.Sprintf("Wrote %s\n", file))
	want("a zip")
	if err := os.WriteFile(file, []byte("a longer text"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr := c.coco(2, "submissions", "download", "kamisado", "3", file)
	wantPart(t, "stderr", stderr, "mine.zip exists already: name another file, or give --force")
	want("a longer text")
	c.coco(4, "submissions", "download", "--force", "kamisado", "7", file)
	want("a longer text")
	c.coco(0, "submissions", "download", "--force", "kamisado", "3", file)
	want("a zip")
	c.coco(1, "submissions", "download", "kamisado", "3", filepath.Join(folder, "none", "x.zip"))
}
