package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
)

func TestMain(m *testing.M) {
	waits.Together()
	os.Exit(m.Run())
}

// journal is a log.
type journal struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// site is a receiver.
type site struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex // guards the fields below
	fails  bool       // it answers with status 500
	got    []string   // types and names of what was taken
	bodies []string
	ids    map[string]int // how often each ID came, also if it failed
}

func newSite(t testing.TB) *site {
	s := &site{t: t, ids: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := verified(s.t, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids[r.Header.Get("webhook-id")]++
	if s.fails {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var m struct {
		Type string
		Data struct{ Contest, Player string }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		s.t.Error(err)
	}
	s.got, s.bodies = append(s.got, m.Type+" "+m.Data.Contest+m.Data.Player), append(s.bodies, body)
}

func (s *site) set(fails bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = fails
}

// await waits until the site has these messages, in any order, and no others.
func (s *site) await(want ...string) {
	s.t.Helper()
	slices.Sort(want)
	poll.Until(s.t, fmt.Sprintf("the messages %q", want), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Equal(slices.Sorted(slices.Values(s.got)), want)
	}, func() any { s.mu.Lock(); defer s.mu.Unlock(); return s.got })
}

// host is the part of a host that sends messages.
type host struct {
	*Sender
	store *store.Store
	o     contest.Organizer
	log   *journal
	stop  func()
}

// start runs a sender on a file of records, until stop or the end of the test.
func start(t testing.TB, file string, hooks ...*Hook) *host {
	t.Helper()
	h := &host{log: &journal{}}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	var err error
	if h.store, err = store.Open(t.Context(), file, log); err != nil {
		t.Fatal(err)
	}
	h.o = contest.Organizer{Store: h.store.Contests()}
	h.Sender = New(h.store.Webhooks(), h.store.Contests(), log)
	h.Set(hooks, "https://host.example")
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { h.Run(ctx) })
	h.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		h.store.Close()
	})
	t.Cleanup(h.stop)
	return h
}

// known waits until the sender knows webhooks.
func (h *host) known(t testing.TB, names ...string) {
	t.Helper()
	poll.Until(t, fmt.Sprintf("the webhooks %q", names), func() bool {
		got, err := h.store.Webhooks().Known(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return slices.Equal(got, names)
	})
}

func (h *host) create(t testing.TB, name string) {
	t.Helper()
	if _, err := h.o.Create(t.Context(), []byte("name: "+name+"\ntitle: The <cup>\ngame: dama\nformat: swiss\nentries: [{player: ana}, {player: bob}]\n")); err != nil {
		t.Fatal(err)
	}
}

func TestReceiversGetWhatHappensAndNotThePast(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "record.db")
	first := start(t, file)
	first.create(t, "past")
	first.stop()

	club, school := newSite(t), newSite(t)
	toClub, toSchool := hookTo(t, "club", club.URL), hookTo(t, "school", school.URL, contest.NewsEnded, store.ProgramAccepted)
	h := start(t, file, toClub)
	h.known(t, "club")
	h.create(t, "cup")
	if err := h.o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	club.await("contest.created cup", "contest.started cup")
	h.Set([]*Hook{toClub, toSchool}, "https://host.example")
	h.known(t, "club", "school")
	if err := h.o.Pause(t.Context(), "cup", "supper"); err != nil {
		t.Fatal(err)
	}
	if err := h.o.End(t.Context(), "cup", "rain"); err != nil {
		t.Fatal(err)
	}
	submit(t, h.store.Submissions())
	all := []string{"contest.created cup", "contest.started cup", "contest.paused cup", "contest.ended cup", "program.accepted ana"}
	club.await(all...)
	school.await("contest.ended cup", "program.accepted ana")
	if b := club.bodies[0]; !strings.HasPrefix(b, `{"type":"contest.created","timestamp":"`) ||
		!strings.Contains(b, `"data":{"contest":"cup","title":"The \u003ccup\u003e","game":"dama","format":"swiss","address":"https://host.example/contests/cup"}}`) {
		t.Errorf("got the body %s, want the names and the address of the contest", b)
	}
	if b := school.bodies[1]; !strings.Contains(b, `"data":{"player":"ana","game":"dama","version":1,"address":"https://host.example/players/ana"}}`) {
		t.Errorf("got the body %s, want the player, the version and the address", b)
	}
	poll.Until(t, "the counters", func() bool { return h.Stats()["club"] == HookStats{Delivered: 5} && h.Stats()["school"].Delivered == 2 }, func() any { return h.Stats() })
	for id, n := range club.ids {
		if n != 1 {
			t.Errorf("the message %s: got it %d times, want once", id, n)
		}
	}

	// What happens while no host runs is sent by the next one.
	h.stop()
	contests, err := store.OpenContests(t.Context(), file, slog.New(slog.DiscardHandler)) // as a command does
	if err != nil {
		t.Fatal(err)
	}
	(&host{o: contest.Organizer{Store: contests}}).create(t, "later")
	contests.Close()
	start(t, file, toClub, toSchool)
	club.await(append(all, "contest.created later")...)

	if text := h.log.String(); strings.Contains(text, "MfKQ") || strings.Contains(text, "level=ERROR") {
		t.Errorf("got the log\n%s\nwant no error and no secret", text)
	}
}

// submit has a program of ana's accepted.
func submit(t testing.TB, s *store.Submissions) {
	t.Helper()
	one, err := s.Add(t.Context(), store.NewSubmission{Player: "ana", Game: "dama", Language: "go", Source: []byte("x")}, store.SubmissionQuotas{})
	if err == nil {
		_, _, err = s.Claim(t.Context(), "h")
	}
	if err == nil {
		_, err = s.Accept(t.Context(), one.Number, "h", []string{"x"}, []byte("x"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAMessageThatFailsComesLaterWithTheSameID(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "record.db")
	club := newSite(t)
	club.set(true)
	hook := hookTo(t, "club", club.URL+"/secret-path")
	h := start(t, file, hook)
	h.known(t, "club")
	h.create(t, "cup")
	poll.Until(t, "a failure", func() bool { return h.Stats()["club"].Failed > 0 })
	poll.Until(t, "its record", func() bool {
		list, err := h.store.Webhooks().List(context.Background(), "club", 5)
		return err == nil && len(list) == 1 && list[0].Tries > 0 && list[0].Status == 500 && list[0].Next.After(time.Now())
	})
	if text := h.log.String(); !strings.Contains(text, `msg="a webhook fails; its messages are tried again" webhook=club problem="status 500 Internal Server Error"`) ||
		strings.Contains(text, "secret-path") || strings.Contains(text, "MfKQ") {
		t.Errorf("got the log\n%s\nwant the problem, and neither the secret nor the path", text)
	}
	h.stop()
	club.set(false)
	h = start(t, file, hook)
	if err := h.store.Webhooks().Retry(t.Context(), 2); err != nil { // number 1 says that the webhook is known
		t.Fatal(err)
	}
	club.await("contest.created cup")
	club.mu.Lock()
	defer club.mu.Unlock()
	if len(club.ids) != 1 {
		t.Errorf("got the IDs %v, want the same one each time", club.ids)
	}
}

func TestASlowReceiverHoldsUpNobody(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	asked := make(chan struct{}, 10)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(release)
	club := newSite(t)
	file := filepath.Join(t.TempDir(), "record.db")
	h := start(t, file, hookTo(t, "slow", slow.URL), hookTo(t, "club", club.URL))
	h.known(t, "club", "slow")
	h.create(t, "one")
	poll.Receive(t, "the slow receiver has a message", asked)
	h.create(t, "two")
	club.await("contest.created one", "contest.created two")
	h.stop() // the try that was interrupted does not count
	again, err := store.OpenWebhooks(t.Context(), file, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if list, err := again.List(t.Context(), "slow", 5); err != nil || len(list) != 2 || list[0].Tries+list[1].Tries > 0 || list[0].Next.IsZero() || list[1].Next.IsZero() {
		t.Errorf("got %+v, %v, want both messages waiting, and no try", list, err)
	}
}

func TestWithoutWebhooksNothingIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "record.db")
	club := newSite(t)
	hook := hookTo(t, "club", club.URL)
	h := start(t, file, hook)
	h.known(t, "club")
	h.Set(nil, "")
	h.known(t)
	h.create(t, "silent")
	submit(t, h.store.Submissions())
	h.Set([]*Hook{hook}, "")
	h.known(t, "club")
	h.create(t, "cup")
	club.await("contest.created cup")
	if strings.Contains(club.bodies[0], `"address"`) {
		t.Errorf("got %s, want no address", club.bodies[0])
	}
}
