package site

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

// TestMain serves the contests of the tests instead of testing if the environment has the
// URL of a host in FAKE_CONTESTS: e2e/browser tests the pages with them. Everything else,
// such as games and matches, comes from that host. The first of the matches MATCH, with commas
// between them, runs in two of the contests. Several run in a third, beside a big knockout. Each line on the
// standard input ends the first one in both; the server ends with the input.
func TestMain(m *testing.M) {
	if host := os.Getenv("FAKE_CONTESTS"); host != "" {
		if err := serveContests(host, strings.Split(os.Getenv("MATCH"), ",")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serveContests(host string, matches []string) error {
	behind, err := url.Parse(host)
	if err != nil {
		return err
	}
	c := someContests(time.Now())
	if len(matches) > 1 {
		c.views = append(c.views, newRound(time.Now(), matches), newBig(time.Now()))
	}
	change := func(f func(m *contest.MatchView)) {
		for _, name := range []string{"spring-cup", "cup"} {
			_ = c.change(name, func(v *contest.View) error { // it exists
				for i := range v.Matches {
					if m := &v.Matches[i]; m.State == "running" {
						f(m)
					}
				}
				return nil
			})
		}
	}
	change(func(m *contest.MatchView) { m.ID = matches[0] })
	s := New(Parts{Lobby: fakeLobby{}, Readers: &fakeReaders{}, Contests: c, Players: &fakePlayers{registration: players.Open, tries: 1000}, Games: fakeCatalog{}, Hosts: &fakeHosts{hosts: threeHosts(), connected: true}}, quiet)
	programs := someSubmissions(time.Now())
	programs.goesOn = true
	s.Submissions = programs
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind) // also sets the Host
		r.Out.Header.Del("Accept-Encoding")
		if r.Out.Header.Get("Origin") != "" {
			r.Out.Header.Set("Origin", host)
		}
	}, ModifyResponse: withPrograms}
	passed := []string{"/api/games", "/games/", "/api/matches", "/api/lobby"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // ends with the process
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/submissions") && (r.Header.Get("Upgrade") != "" || slices.ContainsFunc(passed, func(p string) bool { return strings.HasPrefix(r.URL.Path, p) })) {
				proxy.ServeHTTP(w, r)
				return
			}
			s.ServeHTTP(w, r)
		}))
	}()
	fmt.Printf("http://%s\n", l.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		change(func(m *contest.MatchView) {
			m.State, m.Points, m.Ranks, m.Outcome, m.Ended = "finished", []float64{1, 0}, []int{1, 2}, []string{"finished", "finished"}, time.Now()
		})
	}
	return nil
}

// withPrograms changes a game of the host into one for which programs can be handed in.
func withPrograms(reply *http.Response) error {
	if reply.Request.URL.Path != "/api/games/roshambo" || reply.StatusCode != http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte(`"judged"`), []byte(`"submissions":true,"judged"`), 1)
	reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	reply.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}
