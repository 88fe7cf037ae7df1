//go:build unix

// Package operations tests what an operator does with a host: starts it as the README says, also
// on old kernels, reads its metrics and host doctor, limits clients, keeps secrets, changes
// certificates, restores backups.
package operations

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

// commands are programs that the test binary is as well, by name.
var commands = map[string]func(){}

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, commands)
}

func TestMetricsCountMatchesAndFaults(t *testing.T) {
	t.Parallel()
	h, at := programs.Operated(t, "drain: 1h\n")
	for _, page := range []string{"healthz", "readyz"} {
		if status, body := programs.Get(t, at+page); status != http.StatusOK || body != "ok\n" {
			t.Errorf("%s: got %d %q, want 200 ok", page, status, body)
		}
	}
	c := h.AgainstBot(t, 5)
	if n := programs.Metric(t, at, `colosseum_matches{game="roshambo",state="running"}`); n != 1 {
		t.Errorf("got %v running matches, want 1", n)
	}
	if result, _, err := c.Roshambo(func(int) string { return "ROCK" }); err != nil || result.Aborted {
		t.Fatalf("got %+v, %v, want a finished match", result, err)
	}
	for name, want := range map[string]float64{
		`colosseum_matches{game="roshambo",state="running"}`:            0,
		`colosseum_matches_created_total{game="roshambo"}`:              1,
		`colosseum_matches_finished_total{game="roshambo"}`:             1,
		`colosseum_answer_seconds_count{game="roshambo"}`:               5,
		`colosseum_turn_seconds_count{game="roshambo"}`:                 5,
		`colosseum_game_processes{plugin="roshambo"}`:                   1,
		`colosseum_game_loads_total{plugin="roshambo",result="loaded"}`: 1,
		`colosseum_connections`:                                         1,
		`colosseum_records_total`:                                       1,
	} {
		if got := programs.Metric(t, at, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if n := programs.Metric(t, at, `colosseum_client_bytes_total{direction="read"}`); n < 5*5 {
		t.Errorf("got %v bytes read, want 25 or more", n)
	}
	if n := programs.Metric(t, at, "colosseum_commit_seconds_sum"); n <= 0 {
		t.Errorf("got %v s for commits, want more than 0", n)
	}

	// A game's process is killed.
	h.AgainstBot(t, 5)
	mark := h.Mark()
	if err := syscall.Kill(h.Child("roshambo"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.AwaitAfter(t, mark, "game ready")
	h.AwaitAfter(t, mark, "match ended")
	if n := programs.Metric(t, at, `colosseum_matches_aborted_total{game="roshambo",reason="process"}`); n != 1 {
		t.Errorf("got %v aborted matches, want 1", n)
	}
	if n := programs.Metric(t, at, `colosseum_game_deaths_total{plugin="roshambo"}`); n != 1 {
		t.Errorf("got %v deaths of processes, want 1", n)
	}

	// A host that is stopping is healthy, but not ready.
	last := h.AgainstBot(t, 5)
	mark = h.Mark()
	if err := h.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	h.AwaitAfter(t, mark, "shutting down")
	poll.Until(t, "readyz shows that the host is stopping", func() bool {
		status, body := programs.Get(t, at+"readyz")
		return status == http.StatusServiceUnavailable && body == "the host is stopping\n"
	})
	if status, _ := programs.Get(t, at+"healthz"); status != http.StatusOK {
		t.Errorf("healthz: got %d, want 200", status)
	}
	if _, _, err := last.Roshambo(func(int) string { return "ROCK" }); err != nil {
		t.Error(err)
	}
}

func TestLimitsOfAnAddressHoldOnARealHost(t *testing.T) {
	t.Parallel()
	h, at := programs.Operated(t, "limits: {exempt: [], connections: 3, matches_per_minute: 2, waiting_matches: 1}\n")
	c := h.Dial(t)
	for _, want := range []string{"", "wait for players", "too many new matches"} {
		_, err := c.Create(protocol.GameNew{Game: "roshambo"})
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for range 2 {
		h.Dial(t)
	}
	if other, err := programs.Dial(h.URL); !websocket.IsCloseError(err, protocol.CloseLimit) {
		t.Errorf("fourth connection: got %v, %v, want close code %d", other, err, protocol.CloseLimit)
	}
	for _, limit := range []string{"waiting_matches", "new_matches", "address_connections"} {
		if n := programs.Metric(t, at, `colosseum_limits_total{limit="`+limit+`"}`); n != 1 {
			t.Errorf("%s: got %v refusals, want 1", limit, n)
		}
	}
}

func TestHostAnswersOnlyToItsOwnNames(t *testing.T) {
	t.Parallel()
	h, at := programs.Operated(t, "names: [club.example]\n")
	for _, url := range []string{h.Page(""), h.Page("api/games"), at + "metrics"} {
		for name, want := range map[string]int{"": 200, "club.example": 200, "localhost:1": 200, "evil.example": http.StatusMisdirectedRequest} {
			r, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host, r.Close = name, true // an empty name is the address
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s for %q: got %s, want %d", url, name, answer.Status, want)
			}
		}
	}
	h.Await(t, "name=evil.example")
	if n := programs.Metric(t, at, `colosseum_limits_total{limit="name"}`); n != 3 {
		t.Errorf("got %v refusals, want 3", n)
	}
	for origin, want := range map[string]int{"": 101, "tauri://localhost": 101, "http://evil.example": http.StatusMisdirectedRequest} {
		header := http.Header{"Host": {"evil.example"}}
		if origin != "" {
			header.Set("Origin", origin)
		}
		conn, answer, err := new(websocket.Dialer).Dial(h.URL, header)
		if answer == nil {
			t.Fatal(err)
		}
		if conn != nil {
			_ = conn.Close()
		}
		if answer.StatusCode != want {
			t.Errorf("WebSocket from %q: got %s, want %d", origin, answer.Status, want)
		}
	}
}

func TestSecretsAppearInNoOutput(t *testing.T) {
	const secret, other, match = "correct-horse-battery", "wrong-horse-battery", "staple-of-the-match"
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOME_TOKEN", secret) // children must not get the host's environment
	h, at := programs.Operated(t, "verification_password_file: "+file+"\n", "--debug")
	c := h.Dial(t)
	if _, err := c.Create(protocol.GameNew{Game: "roshambo", Verification: new(secret), Password: new(match)}); err != nil {
		t.Errorf("right password: got %v, want a match", err)
	}
	_, refused := c.Create(protocol.GameNew{Game: "roshambo", Verification: new(other)})
	if refused == nil {
		t.Error("wrong password: got a match, want a refusal")
	}
	if err := c.Send(protocol.NameLobbyList, nil); err != nil {
		t.Fatal(err)
	}
	_, list, err := c.Next()
	if err != nil || !strings.Contains(string(list), `"verified":true`) {
		t.Fatalf("got the lobby %s, %v, want a verified match", list, err)
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", h.Child("roshambo")))
	if err != nil {
		t.Fatal(err)
	}
	_, numbers := programs.Get(t, at+"metrics")
	_, api := programs.Get(t, h.Page("api/lobby"))
	// The error about a wrong configuration file does not quote it.
	mark := h.Mark()
	if err := os.WriteFile(h.Config, []byte("verification_password: {"+secret+": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.AwaitAfter(t, mark, "could not reload the configuration")
	help := exec.Command(filepath.Join(programs.Bin, "host"), "--help")
	help.Env = append(os.Environ(), "COLOSSEUM_VERIFICATION_PASSWORD="+secret)
	helped, err := help.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	c.Close() // a host that stops waits for clients that do not answer
	h.Stop(t, syscall.SIGTERM)
	for where, text := range map[string]string{
		"the log": strings.Join(h.Logged(), "\n"), "the lobby": string(list), "the API": api, "a game's environment": string(environment),
		"the metrics": numbers, "the refusal": refused.Error(), "the help": string(helped),
	} {
		if text == "" {
			t.Errorf("%s: got nothing, want some text", where)
		}
		for _, s := range []string{secret, other, match} {
			if strings.Contains(text, s) {
				t.Errorf("%s: got\n%s\nwant no %q in it", where, text, s)
			}
		}
	}
}

func TestPasswordMadeByTheHostIsInAPrivateFileWhoseNameIsLogged(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var passwords []string
	path := filepath.Join(data, "verification_password")
	for start := range 3 {
		if start == 2 { // an older host left an empty file when the disk was full
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		}
		h := programs.StartHost(t, data)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("got %v, %v, want a file of mode 0600", info, err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		password := strings.TrimSpace(string(b))
		passwords = append(passwords, password)
		c := h.Dial(t)
		if _, err := c.Create(protocol.GameNew{Game: "roshambo", Verification: &password}); err != nil {
			t.Error(err)
		}
		c.Close() // a host that stops waits for clients that do not answer
		h.Stop(t, syscall.SIGTERM)
		log := strings.Join(h.Logged(), "\n")
		if strings.Contains(log, password) {
			t.Errorf("start %d: got the password in the log, want it only in the file", start)
		}
		if got, want := strings.Contains(log, `msg="verification password generated" file=`+path), start != 1; got != want {
			t.Errorf("start %d: got the file in the log: %t, want %t", start, got, want)
		}
	}
	if passwords[0] != passwords[1] || len(passwords[0]) < 20 {
		t.Errorf("got passwords of %d and %d characters, the same: %t, want one of 20 or more", len(passwords[0]), len(passwords[1]), passwords[0] == passwords[1])
	}
	if passwords[2] == passwords[0] || len(passwords[2]) < 20 {
		t.Errorf("after an empty file: got %d characters, the same as before: %t, want a new password of 20 or more", len(passwords[2]), passwords[2] == passwords[0])
	}
}

// certify writes a certificate for localhost, and its key.
func certify(t *testing.T, certificate, key string, serial int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHostWithTLSLoadsAChangedCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, certificate, key, 1)
	h, _ := programs.Operated(t, fmt.Sprintf("tls: {certificate: %s, key: %s}\n", certificate, key))
	if !strings.HasPrefix(h.URL, "wss://") {
		t.Fatalf("got address %s, want wss://", h.URL)
	}
	serial := func() string {
		t.Helper()
		d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the test's own certificate
		conn, _, err := d.Dial(h.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.NetConn().(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	if got := serial(); got != "1" {
		t.Errorf("got certificate %s, want 1", got)
	}
	certify(t, certificate, key, 2)
	poll.Until(t, "connections use the new certificate", func() bool { return serial() == "2" })
	if _, err := programs.Dial("ws" + strings.TrimPrefix(h.URL, "wss")); err == nil {
		t.Error("got a connection without TLS, want an error")
	}
}

func TestDoctorShowsProblemsAndFails(t *testing.T) {
	t.Parallel()
	h := programs.StartHost(t, t.TempDir())
	taken := "127.0.0.1:" + h.URL[strings.LastIndex(h.URL, ":")+1:len(h.URL)-1]
	tests := []struct {
		name, config string
		want         []string
		fails        bool
	}{
		{"a good one", "plugins: {folders: [" + programs.Plugins + "]}\noperations: {listen: ''}\nlisten: 127.0.0.1:0\n", []string{"ok    listen", "ok    games", "is valid"}, false},
		{"a port that is taken", "plugins: {folders: [" + programs.Plugins + "]}\nlisten: " + taken + "\n", []string{"warn  listen", "-> if that is not this host"}, false},
		{"a mistake", "plugin: {}\n", []string{"fail  configuration", `did you mean "plugins"?`, "->"}, true},
		{"no games", "plugins: {folders: [/nowhere]}\n", []string{"fail  games", "plugins.folders"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "host.yaml")
			if err := os.WriteFile(file, []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(filepath.Join(programs.Bin, "host"), "--config", file, "--data", t.TempDir(), "doctor").CombinedOutput()
			if (err != nil) != tt.fails {
				t.Errorf("got %v, want a failure: %t", err, tt.fails)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("got\n%s\nwant %q in it", out, want)
				}
			}
		})
	}
}
