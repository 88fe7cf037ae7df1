package site

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/submissions/registry"
	"colosseum/internal/test/cutproxy"
)

var bobs = []string{"Authorization", "Bearer " + bobsToken}

// submissionSite returns a site to which bob has handed in programs.
func submissionSite(t *testing.T) (*Site, *fakeSubmissions) {
	t.Helper()
	s, _, _ := accountSite(t)
	f := someSubmissions(time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC))
	s.Submissions = f
	return s, f
}

// submissionRequests has a request for each address of programs, with the status and the path
// in openapi.json.
var submissionRequests = []struct {
	method, request, path string
	status                int
}{
	{"GET", "/api/submissions", "/api/submissions", 200},
	{"GET", "/api/submissions/work", "/api/submissions/work", 200},
	{"GET", "/api/games/roshambo/submissions", "/api/games/{name}/submissions", 200},
	{"POST", "/api/games/roshambo/submissions?file=player.js", "/api/games/{name}/submissions", 201},
	{"GET", "/api/games/roshambo/submissions/2?from=3&wait=1", "/api/games/{name}/submissions/{version}", 200},
	{"GET", "/api/games/roshambo/submissions/6", "/api/games/{name}/submissions/{version}", 200},
	{"GET", "/api/games/roshambo/submissions/9", "/api/games/{name}/submissions/{version}", 404},
	{"GET", "/api/games/roshambo/submissions/0", "/api/games/{name}/submissions/{version}", 404},
	{"GET", "/api/games/roshambo/submissions/x", "/api/games/{name}/submissions/{version}", 404},
	{"GET", "/api/games/roshambo/submissions/2?from=-1", "/api/games/{name}/submissions/{version}", 400},
	{"GET", "/api/games/roshambo/submissions/1/source.zip", "/api/games/{name}/submissions/{version}/source.zip", 200},
	{"GET", "/api/games/roshambo/submissions/9/source.zip", "/api/games/{name}/submissions/{version}/source.zip", 404},
	{"GET", "/api/games/roshambo/submissions/1/journals", "/api/games/{name}/submissions/{version}/journals", 200},
	{"GET", "/api/games/roshambo/submissions/1/journals/ended0", "/api/games/{name}/submissions/{version}/journals/{match}", 200},
	{"GET", "/api/games/roshambo/submissions/1/journals/nothing", "/api/games/{name}/submissions/{version}/journals/{match}", 404},
	{"POST", "/api/games/roshambo/submissions/1/active", "/api/games/{name}/submissions/{version}/active", 200},
	{"POST", "/api/games/roshambo/submissions/2/active", "/api/games/{name}/submissions/{version}/active", 409},
	{"DELETE", "/api/games/roshambo/submissions/active", "/api/games/{name}/submissions/active", 200},
	{"DELETE", "/api/games/roshambo/submissions/4", "/api/games/{name}/submissions/{version}", 200},
	{"DELETE", "/api/games/roshambo/submissions/9", "/api/games/{name}/submissions/{version}", 404},
}

// request makes one of submissionRequests.
func request(s http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	if method == "POST" && !strings.HasSuffix(path, "/active") {
		return change(s, method, path, "a program", append([]string{"Content-Type", "application/octet-stream"}, header...)...)
	}
	return change(s, method, path, "{}", header...)
}

func TestRequestsForProgramsAreAsOpenAPIDescribesThem(t *testing.T) {
	schemas := readSchemas(t)
	for _, tt := range submissionRequests {
		t.Run(tt.method+" "+tt.request, func(t *testing.T) {
			s, _ := submissionSite(t)
			w := request(s, tt.method, tt.request, bobs...)
			if w.Code != tt.status || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Fatalf("got %d %v %s, want %d, for the owner alone", w.Code, w.Header(), w.Body, tt.status)
			}
			if s.Readers.(*fakeReaders).paid == 0 {
				t.Error("got 0 points, want some")
			}
			if strings.HasSuffix(tt.request, ".zip") && tt.status == 200 {
				if got := w.Header().Get("Content-Disposition"); w.Body.String() != "PK" || got != "attachment; filename=v1.zip" {
					t.Errorf("got %q as %s, want the file", w.Body, got)
				}
				return
			}
			for _, fault := range schemas.faults(schemas.answerTo(strings.ToLower(tt.method), tt.path, fmt.Sprint(tt.status), "application/json"), decode[any](t, w.Body.String()), "answer") {
				t.Error(fault)
			}
		})
	}
}

func TestRequestsForProgramsAreRefused(t *testing.T) {
	for _, tt := range submissionRequests {
		public := tt.path == "/api/submissions/work"
		t.Run(tt.method+" "+tt.request, func(t *testing.T) {
			s, f := submissionSite(t)
			for _, no := range []struct {
				name   string
				header []string
				status int
			}{
				{"nobody", nil, 401},
				{"a wrong token", []string{"Authorization", "Bearer coco_x"}, 401},
				{"a page of another host", []string{"Origin", "https://evil.example", "Cookie", players.Cookie + "=" + bobsToken}, 403},
				{"another type", append([]string{"Content-Type", "text/plain"}, bobs...), 415},
			} {
				if tt.method == "GET" && no.status != 401 || public {
					continue
				}
				if w := request(s, tt.method, tt.request, no.header...); w.Code != no.status {
					t.Errorf("%s: got %d %s, want %d", no.name, w.Code, w.Body, no.status)
				}
			}
			f.err = errors.New("secret")
			if w := request(s, tt.method, tt.request, bobs...); tt.status < 300 && (w.Code != 503 || strings.Contains(w.Body.String(), "secret")) {
				t.Errorf("with a broken store: got %d %s, want 503 without the cause", w.Code, w.Body)
			}
			s.Submissions = nil
			if w := request(s, tt.method, tt.request, bobs...); w.Code != 403 || !strings.Contains(w.Body.String(), "this host takes no programs") {
				t.Errorf("without programs: got %d %s, want 403", w.Code, w.Body)
			}
		})
	}
}

func TestAProgramIsTakenAsItIs(t *testing.T) {
	s, f := submissionSite(t)
	w := request(s, "POST", "/api/games/roshambo/submissions?file=my+player.js", bobs...)
	if w.Code != 201 || f.file != "my player.js" || string(f.body) != "a program" || f.address != "192.0.2.1:1234" {
		t.Errorf("got %d %s, and %q with %q from %s, want version 7 of the file", w.Code, w.Body, f.file, f.body, f.address)
	}
	for _, tt := range []struct {
		name, query, body string
		status            int
		text              string
	}{
		{"no name", "", "x", 400, "the name of the archive"},
		{"a folder", "?file=a/b.js", "x", 400, "without folders"},
		{"a long name", "?file=" + strings.Repeat("a", maxFileName+1), "x", 400, "the name"},
		{"nothing", "?file=a.js", "", 422, "empty"},
		{"too long", "?file=a.js", strings.Repeat("x", 1<<20+1), 413, "longer than 1 MiB"},
		{"the same", "?file=a.js", "same", 409, "this is version 6 already"},
	} {
		w := change(s, "POST", "/api/games/roshambo/submissions"+tt.query, tt.body, append([]string{"Content-Type", "application/octet-stream"}, bobs...)...)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
			t.Errorf("%s: got %d %s, want %d %s", tt.name, w.Code, w.Body, tt.status, tt.text)
		}
	}
}

// uploading begins an upload that sends nothing, and returns the end of the client.
func uploading(t *testing.T, pipes cutproxy.Pipes, body string) net.Conn {
	t.Helper()
	client, host := net.Pipe()
	pipes <- host
	_, err := fmt.Fprintf(client, "POST /api/games/roshambo/submissions?file=a.js HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer %s\r\nContent-Type: application/octet-stream\r\nContent-Length: 5\r\n\r\n%s", bobsToken, body)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// answer reads the answer of a host.
func answer(t *testing.T, client net.Conn) (status int, text string) {
	t.Helper()
	reply, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(body)
}

// A slow line needs longer than the server gives other requests, but not any time.
func TestASlowUploadHasAMinute(t *testing.T) {
	s, f := submissionSite(t)
	synctest.Test(t, func(t *testing.T) {
		server := &http.Server{Handler: s, ReadTimeout: 10 * time.Second}
		pipes := make(cutproxy.Pipes, 4)
		go server.Serve(pipes) // ends with pipes
		slow := uploading(t, pipes, "sl")
		defer slow.Close()
		synctest.Wait()
		second := uploading(t, pipes, "other")
		if status, text := answer(t, second); status != 409 || !strings.Contains(text, "another program") {
			t.Errorf("a second upload at once: got %d %s, want 409", status, text)
		}
		second.Close()
		time.Sleep(uploadTime - time.Second)
		if _, err := io.WriteString(slow, "owl"); err != nil {
			t.Fatal(err)
		}
		if status, text := answer(t, slow); status != 201 || string(f.body) != "slowl" {
			t.Errorf("a slow upload: got %d %s and %q, want all of it", status, text, f.body)
		}
		stuck := uploading(t, pipes, "st")
		defer stuck.Close()
		if status, text := answer(t, stuck); status != 408 || !strings.Contains(text, "longer than 1m0s") {
			t.Errorf("an upload that hangs: got %d %s, want 408", status, text)
		}
		synctest.Wait()
		if len(s.programs.uploads.places) != 0 || len(s.programs.uploads.by) != 0 {
			t.Error("got uploads after all have ended, want none")
		}
		close(pipes)
	})
}

func TestUploadsAreFewAtATime(t *testing.T) {
	u := newUploads()
	var ends []func()
	for i := range maxUploads {
		done, err := u.begin(fmt.Sprint("player", i))
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, done)
	}
	_, err := u.begin("another")
	if refusal, ok := errors.AsType[*registry.Refusal](err); !ok || refusal.Status != 503 {
		t.Errorf("got %v, want a refusal with 503", err)
	}
	ends[0]()
	if _, err := u.begin("another"); err != nil {
		t.Errorf("after the end of one: got %v, want a place", err)
	}
}

func TestABuildIsFollowed(t *testing.T) {
	s, f := submissionSite(t)
	synctest.Test(t, func(t *testing.T) {
		next := func(query string) (a progressAnswer, waited time.Duration) {
			t.Helper()
			begin := time.Now()
			w := get(s, "/api/games/roshambo/submissions/6?wait=1"+query, bobs...)
			if w.Code != 200 {
				t.Fatalf("got %d %s, want 200", w.Code, w.Body)
			}
			return decode[progressAnswer](t, w.Body.String()), time.Since(begin)
		}
		first, waited := next("")
		if waited != 0 || first.State != "queued" || first.Position != 3 || first.Total != len(f.logs["f"]) || first.Log != f.logs["f"] {
			t.Errorf("at first: got %+v after %v, want the whole output at once", first, waited)
		}
		end := fmt.Sprint("&from=", first.Total)
		if a, waited := next(end); waited != followTime || a.Log != "" || a.Total != first.Total {
			t.Errorf("without news: got %+v after %v, want the same after %v", a, waited, followTime)
		}
		for _, tt := range []struct {
			name   string
			change func()
			want   string
			log    string
		}{
			{"a place", func() { f.versions[0].Position = 2 }, "queued", ""},
			{"a state", func() { f.versions[0].State, f.versions[0].Position = "building", 0 }, "building", ""},
			{"a part of a character", func() { f.logs["f"] += "a\xc3" }, "building", "a"},
		} {
			timer := time.AfterFunc(3*time.Second, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				tt.change()
			})
			if a, waited := next(end); waited < 3*time.Second || waited > 4*time.Second || a.State != tt.want || a.Log != tt.log {
				t.Errorf("%s: got %+v after %v, want %s with %q after 3 s", tt.name, a, waited, tt.want, tt.log)
			}
			timer.Stop()
		}
		end = fmt.Sprint("&from=", first.Total+1)
		if a, waited := next(end); waited != followTime || a.Log != "" || a.Total != first.Total+1 {
			t.Errorf("without the rest of a character: got %+v after %v, want nothing", a, waited)
		}
		if a, waited := next(end + "&state=queued"); waited != 0 || a.State != "building" {
			t.Errorf("knowing an old state: got %+v after %v, want the new one at once", a, waited)
		}
		f.versions[0].State = "refused"
		if a, waited := next(end); waited != 0 || a.State != "refused" {
			t.Errorf("at the end: got %+v after %v, want it at once", a, waited)
		}
		f.versions[0].State = "trying"
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // ends with the request
			r := httptest.NewRequestWithContext(ctx, "GET", "/api/games/roshambo/submissions/6?wait=1&from=999", nil)
			r.Header.Set(bobs[0], bobs[1])
			s.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait()
		if n := s.Readers.(*fakeReaders).following.Load(); n != 1 {
			t.Errorf("got %d connections that wait, want 1", n)
		}
		cancel()
		synctest.Wait()
		if n := s.Readers.(*fakeReaders).following.Load(); n != 0 {
			t.Errorf("got %d connections after the client has left, want 0", n)
		}
	})
}

func TestPagesShowWhetherProgramsCanBeHandedIn(t *testing.T) {
	s, _ := submissionSite(t)
	cookie := []string{"Cookie", players.Cookie + "=" + bobsToken}
	for _, tt := range []struct{ path, want string }{
		{"/api/session", `"submissions":true`}, {"/api/games/roshambo", `"submissions":true`}, {"/programs", "<h1>"},
	} {
		if w := get(s, tt.path, cookie...); w.Code != 200 || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %s", tt.path, w.Code, w.Body, tt.want)
		}
	}
	if body := get(s, "/api/games/tiny").Body.String(); strings.Contains(body, "submissions") {
		t.Errorf("a game without them: got %s", body)
	}
	s.Submissions = nil
	if w := get(s, "/programs"); w.Code != 404 {
		t.Errorf("got %d, want no page", w.Code)
	}
	for _, path := range []string{"/api/session", "/api/games/roshambo"} {
		if body := get(s, path, cookie...).Body.String(); strings.Contains(body, "submissions") {
			t.Errorf("%s: got %s, want nothing about them", path, body)
		}
	}
}
