//go:build unix

package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// coco returns a command of coco on a host, without a player.
func coco(t *testing.T, h *programs.Host, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs.Bin, "coco"), append([]string{"-s", h.URL}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "LC_ALL=C")
	return cmd
}

// model starts coco mcp and connects to it.
func model(t *testing.T, h *programs.Host) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: coco(t, h, "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool, and returns its structured result.
func call(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: got %v, want a result", tool, err)
	}
	out, ok := r.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s: got %v, want a structured result", tool, r.Content)
	}
	return out
}

// nextTurn calls a tool that waits for a turn, until there is one or the match has ended: on a busy
// machine, both can come after the longest call.
func nextTurn(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	turn := call(t, session, tool, args)
	for turn["state"] == "running" || turn["state"] == "waiting" {
		next := call(t, session, "wait_turn", map[string]any{"handle": args["handle"]})
		if text := textOf(turn); text != "" {
			next["untrusted_text"] = text + textOf(next)
		}
		turn = next
	}
	return turn
}

func textOf(turn map[string]any) string {
	text, _ := turn["untrusted_text"].(string)
	return text
}

// docsCall is a call in docs/agents.md: a tool with its arguments, and the result, a JSON
// object. "…" in it is any text, and a number of seconds any number.
type docsCall struct {
	tool string
	args map[string]any
	want map[string]any
}

// docsCalls reads the recorded game of the docs.
func docsCalls(t *testing.T) (calls []docsCall) {
	t.Helper()
	page, err := os.ReadFile(programs.Root + "/docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	game := regexp.MustCompile("(?s)```text\n(new .*?)```").FindSubmatch(page)
	if game == nil {
		t.Fatal("got no recorded game, want one that begins with new")
	}
	for line := range strings.Lines(string(game[1])) {
		if text, ok := strings.CutPrefix(line, "  "); ok { // of a result
			if err := json.Unmarshal([]byte(text), &calls[len(calls)-1].want); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			continue
		}
		tool, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		c := docsCall{tool: tool}
		if err := json.Unmarshal([]byte(args), &c.args); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		calls = append(calls, c)
	}
	return calls
}

// TestGameOfTheDocsIsPlayedAgain plays the calls against alice, who plays PAPER.
func TestGameOfTheDocsIsPlayedAgain(t *testing.T) {
	t.Parallel()
	h := programs.StartHost(t, t.TempDir())
	session := model(t, h)
	var handle string
	for i, c := range docsCalls(t) {
		if _, ok := c.args["handle"]; ok {
			c.args["handle"] = handle
		}
		got := nextTurn(t, session, c.tool, c.args)
		if i == 0 {
			handle = got["handle"].(string)
			alice := h.Dial(t)
			if err := alice.Join(got["match"].(string), "alice"); err != nil {
				t.Fatal(err)
			}
			if _, err := alice.Skip(protocol.NameMatchStarted, &struct{}{}); err != nil {
				t.Fatal(err)
			}
			alice.Answer(t, "PAPER")
		}
		for key, want := range c.want {
			if want == "…" || key == "seconds_left" {
				continue
			}
			if unordered(got[key]) != unordered(want) {
				t.Errorf("call %d, %s: got %s %v, want %v", i, c.tool, key, got[key], want)
			}
		}
		for key := range got {
			if _, ok := c.want[key]; !ok {
				t.Errorf("call %d, %s: got %s %v, want none", i, c.tool, key, got[key])
			}
		}
	}
}

// unordered returns a value as text: the host draws the seats of players.
func unordered(v any) string {
	if list, ok := v.([]any); ok {
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = fmt.Sprint(list[i])
		}
		slices.Sort(texts)
		return strings.Join(texts, "\n")
	}
	return fmt.Sprint(v)
}

// TestModelPlaysAgainstABot plays a whole match of a game with a bot of the host, with an
// illegal answer, and runs it again.
func TestModelPlaysAgainstABot(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h := programs.StartHost(t, data)
	session := model(t, h)
	seat := call(t, session, "new", map[string]any{"game": "roshambo", "bots": 1, "args": map[string]string{"rounds": "20", "pace": "0"}})
	turn := nextTurn(t, session, "wait_turn", map[string]any{"handle": seat["handle"]})
	answers := 0
	for ; turn["state"] == "your_turn"; answers++ {
		if answers == 0 {
			turn = nextTurn(t, session, "act", map[string]any{"handle": seat["handle"], "answer": "LIZARD"})
			if turn["refused"] != true || turn["retries_left"] != 2.0 {
				t.Fatalf("got %v, want a refusal with two retries", turn)
			}
		}
		legal := turn["answers"].([]any)
		turn = nextTurn(t, session, "act", map[string]any{"handle": seat["handle"], "answer": legal[answers%len(legal)], "note": fmt.Sprint("answer ", answers)})
	}
	if turn["state"] != "ended" || answers != 20 {
		t.Errorf("got %v after %d answers, want the end after 20", turn, answers)
	}
	id := seat["match"].(string)
	notes := answersOf(t, h, id)
	if !slices.Contains(notes, "ROCK: answer 0") || len(notes) < 20 {
		t.Errorf("got the notes %q, want one with each answer of the model", notes)
	}
	verify := exec.CommandContext(t.Context(), filepath.Join(programs.Bin, "host"), "--config", h.Config, "--data", data, "verify", id)
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("host verify: got %v, want nil; output:\n%s", err, out)
	}
}

// answersOf returns the answers of a match that have notes, and these.
func answersOf(t *testing.T, h *programs.Host, id string) (noted []string) {
	t.Helper()
	_, body := programs.Get(t, h.Page("api/matches/"+id))
	var m struct {
		Match struct {
			Answers []struct{ Line, Note string }
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	for _, a := range m.Match.Answers {
		if a.Note != "" {
			noted = append(noted, a.Line+": "+a.Note)
		}
	}
	return noted
}

// stub is a server with the interface of OpenAI. It answers with texts, one after the other.
type stub struct {
	texts []string

	mu       sync.Mutex // guards the fields below
	n        int
	requests []map[string]any
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, "want POST /v1/chat/completions", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.texts[s.n%len(s.texts)]
	s.n++
	s.requests = append(s.requests, body)
	if text == "" {
		http.Error(w, "overloaded", http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": 100 + s.n, "completion_tokens": s.n},
	})
}

// TestExampleAgentPlays plays with examples/agents: the model answers well, with words
// around the answer, badly, and not at all.
func TestExampleAgentPlays(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: apt-get install python3")
	}
	h := programs.StartHost(t, t.TempDir())
	s := &stub{texts: []string{"SCISSORS", "I show **paper**.", "LIZARD", ""}}
	server := httptest.NewServer(s)
	defer server.Close()

	agent := exec.CommandContext(t.Context(), python, programs.Root+"/examples/agents/agent.py", "0")
	agent.Env = append(os.Environ(), "AGENT_URL="+server.URL+"/v1", "AGENT_MODEL=stub", "no_proxy=127.0.0.1")
	stdout, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Process.Kill(); _ = agent.Wait() }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}

	request := programs.Roshambo(4, 1)
	id, err := h.Dial(t).Create(request)
	if err != nil {
		t.Fatal(err)
	}
	web := coco(t, h, "http", "-n", "agent", strings.TrimSpace(address), id)
	var out bytes.Buffer
	web.Stdout, web.Stderr = &out, &out
	if err := web.Run(); err != nil {
		t.Fatalf("coco http: got %v, want nil; output:\n%s", err, &out)
	}
	noted := slices.DeleteFunc(answersOf(t, h, id), func(a string) bool { return !strings.Contains(a, ": stub: ") })
	seconds := regexp.MustCompile(`\d+\.\d\d s`)
	want := []string{
		"SCISSORS: stub: 101 + 1 tokens, N",
		"PAPER: stub: 102 + 2 tokens, N",
		"ROCK: stub: 103 + 3 tokens, N; the model wrote 'LIZARD'; the first legal move",
		"ROCK: stub: N; the model failed: HTTP Error 500: Internal Server Error; the first legal move",
	}
	for i, a := range noted {
		noted[i] = seconds.ReplaceAllString(a, "N")
	}
	if !slices.Equal(noted, want) {
		t.Errorf("got the notes\n%s\nwant\n%s", strings.Join(noted, "\n"), strings.Join(want, "\n"))
	}
	system := fmt.Sprint(s.requests[0]["messages"].([]any)[0])
	if !strings.Contains(system, "You are agent and play roshambo") || !strings.Contains(system, "SCISSORS") {
		t.Errorf("got the first message %s, want one with the rules", system)
	}
}
