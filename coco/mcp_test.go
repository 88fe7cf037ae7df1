//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"colosseum/internal/test/hinthost"
	"colosseum/internal/test/poll"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rawClient speaks the protocol as a script would: a line of JSON for each message.
type rawClient struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// request sends a request, and decodes its result.
func (c *rawClient) request(method string, params, result any) {
	c.t.Helper()
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("%s: got %v, want an answer", method, err)
		}
		var reply struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &reply); err != nil {
			c.t.Fatalf("%s: got the line %q, want JSON: %v", method, line, err)
		}
		switch {
		case reply.ID == nil: // a notification
			continue
		case *reply.ID != c.id || reply.Error != nil:
			c.t.Fatalf("%s: got %s, want a result of request %d", method, line, c.id)
		}
		if err := json.Unmarshal(reply.Result, result); err != nil {
			c.t.Fatalf("%s: got %s: %v", method, line, err)
		}
		return
	}
}

func (c *rawClient) send(message any) {
	b, err := json.Marshal(message)
	if err == nil {
		_, err = c.in.Write(append(b, '\n'))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// call calls a tool, and decodes the text of its result.
func (c *rawClient) call(tool string, args, out any) {
	c.t.Helper()
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	c.request("tools/call", map[string]any{"name": tool, "arguments": args}, &result)
	if result.IsError || len(result.Content) != 1 || result.Content[0].Type != "text" {
		c.t.Fatalf("%s: got %+v, want one text", tool, result)
	}
	if err := json.Unmarshal([]byte(result.Content[0].Text), out); err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
}

// modelTurn is what the tests read of a turn.
type modelTurn struct {
	Handle, State string
	Answers       []string
	Number        int
	Players       []struct {
		Name string
		You  bool
		Rank int
	}
}

// modelPlays plays a match against the bot, and returns its end. It has the tools of a
// client.
func modelPlays(call func(tool string, args, out any)) (end modelTurn, turns int) {
	var seat modelTurn
	call("new", map[string]any{"game": "rps", "bots": 1, "name": "model"}, &seat)
	var turn modelTurn
	call("wait_turn", map[string]any{"handle": seat.Handle}, &turn)
	for turn.State != "ended" {
		if turn.State != "your_turn" { // on a busy machine
			call("wait_turn", map[string]any{"handle": seat.Handle}, &turn)
			continue
		}
		turns++
		answer := turn.Answers[len(turn.Answers)-1]
		turn = modelTurn{}
		call("act", map[string]any{"handle": seat.Handle, "answer": answer}, &turn)
	}
	return turn, turns
}

func wantModelWon(t *testing.T, end modelTurn, turns int) {
	t.Helper()
	if got := fmt.Sprint(end.State, end.Players); got != "ended[{model true 1} {ServerBot$0 false 2}]" || turns != hinthost.Rounds {
		t.Errorf("got %s after %d turns, want that the model wins after %d", got, turns, hinthost.Rounds)
	}
}

// tools are those of coco mcp.
var tools = []string{"act", "games", "history", "join", "matches", "new", "resign", "rules", "wait_turn"}

func TestScriptPlaysOverMCP(t *testing.T) {
	t.Parallel()
	h := &hinthost.Host{}
	r := prepare(t, "-s", h.Start(t), "mcp")
	r.cmd.Stderr = &r.stderr
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &rawClient{t: t, in: in, out: bufio.NewReader(out)}
	var hello struct {
		ProtocolVersion, Instructions string
		Capabilities                  map[string]any
	}
	c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "script", "version": "1"}}, &hello)
	if hello.ProtocolVersion != "2025-11-25" || hello.Instructions == "" || hello.Capabilities["tools"] == nil {
		t.Errorf("got %+v, want the version that was asked for, instructions and tools", hello)
	}
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	var list struct{ Tools []struct{ Name string } }
	c.request("tools/list", map[string]any{}, &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if slices.Sort(names); !slices.Equal(names, tools) {
		t.Errorf("got the tools %q, want %q", names, tools)
	}
	end, turns := modelPlays(c.call)
	wantModelWon(t, end, turns)
	in.Close()
	r.wantExit(0)
	wantText(t, "stderr", r.stderr.String(), "")
}

func TestClientOfTheSDKPlaysOverMCP(t *testing.T) {
	t.Parallel()
	h := &hinthost.Host{}
	r := prepare(t, "-s", h.Start(t), "mcp")
	command := exec.Command(r.cmd.Path, r.cmd.Args[1:]...)
	command.Env = r.cmd.Env
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2026-07-28" {
		t.Errorf("got version %s, want the newest", got)
	}
	end, turns := modelPlays(func(tool string, args, out any) {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || result.IsError {
			t.Fatalf("%s: got %+v, %v, want success", tool, result, err)
		}
		b, err := json.Marshal(result.StructuredContent)
		if err == nil {
			err = json.Unmarshal(b, out)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	wantModelWon(t, end, turns)
}

func TestWebServiceIsServed(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	var once sync.Once
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/move"):
			fmt.Fprint(w, `{"answer":"SCISSORS"}`)
		case strings.HasSuffix(r.URL.Path, "/end"):
			once.Do(func() { close(ended) })
		}
	}))
	t.Cleanup(web.Close)
	h := &hinthost.Host{}
	r := prepare(t, "COCO_TOKEN=coco_"+strings.Repeat("a", 43), "-s", h.Start(t), "http", "--serve", web.URL, "rps")
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll.Receive(t, "the end of the match", ended)
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.wantExit(0)
	wantPart(t, "log", r.stdout.String(), "result=won")
}

func TestWebServiceNeedsAURLAndAMatch(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, want string }{
		{"no match", "http://127.0.0.1:1/", "http needs more arguments"},
		{"two matches", "http://127.0.0.1:1/|a|b", `does not take "b"`},
		{"no URL", "bot|a", `"bot" is not the URL of a web service`},
		{"option of serve", "--challenges|http://127.0.0.1:1/|a", "--challenges needs --serve"},
		{"option of a match", "--serve|-n|alice|http://127.0.0.1:1/|rps", "--name is for one match"},
		{"too many matches", "--serve|--concurrency|101|http://127.0.0.1:1/|rps", "from 1 to 100"},
	}
	for _, tt := range tests {
		_, stderr := coco(t, 2, append([]string{"http"}, strings.Split(tt.args, "|")...)...)
		wantPart(t, tt.name, stderr, tt.want)
	}
}

func TestMCPTakesNoArguments(t *testing.T) {
	t.Parallel()
	_, stderr := coco(t, 2, "mcp", "rps")
	if !strings.Contains(stderr, `does not take "rps"`) {
		t.Errorf("got %q, want a refusal of the argument", stderr)
	}
}
