package metrics

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/clients/web"
	"colosseum/host/internal/clients/webhook"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/hosted"
	"colosseum/host/internal/submissions/queue"
)

// The sources of a test.
type (
	fakeLobby   func() lobby.Stats
	fakeWeb     web.Stats
	fakeCatalog struct {
		counts map[string]catalog.Stats
		ready  chan struct{}
	}
	fakeStore   store.Stats
	fakePlayers players.Stats
	fakeDesk    serving.Stats
	fakeContest director.Stats
	fakeCluster cluster.Stats
	fakeHooks   map[string]webhook.HookStats
)

func (h fakeLobby) Stats() lobby.Stats                  { return h() }
func (c fakeWeb) Stats() web.Stats                      { return web.Stats(c) }
func (g fakeCatalog) Stats() map[string]catalog.Stats   { return g.counts }
func (g fakeCatalog) Ready() <-chan struct{}            { return g.ready }
func (r fakeStore) Stats() store.Stats                  { return store.Stats(r) }
func (d fakeDesk) Stats() serving.Stats                 { return serving.Stats(d) }
func (c fakeContest) Stats() director.Stats             { return director.Stats(c) }
func (p fakePlayers) Stats() players.Stats              { return players.Stats(p) }
func (h fakeHooks) Stats() map[string]webhook.HookStats { return h }

// fakePrograms counts what is in a host's programs.
type fakePrograms struct{}

func (fakePrograms) Count() map[store.SubmissionState]int {
	return map[store.SubmissionState]int{store.Queued: 31}
}

func (fakePrograms) Builds() queue.Stats {
	return queue.Stats{Working: 32, Ended: map[string]uint64{"refused": 33}, Building: 34 * time.Second}
}

func (fakePrograms) Hosted() hosted.Stats {
	return hosted.Stats{Playing: 35, Waiting: 36, Matches: 37, Failures: 38, Faults: 39}
}

func (fakePrograms) Cores() int { return 40 }

func (c fakeCluster) Name() string         { return "north" }
func (c fakeCluster) Stats() cluster.Stats { return cluster.Stats(c) }

// loaded returns a catalog whose games are loaded.
func loaded(counts map[string]catalog.Stats) fakeCatalog {
	g := fakeCatalog{counts, make(chan struct{})}
	close(g.ready)
	return g
}

func sources() Sources {
	return Sources{
		Lobby: fakeLobby(func() lobby.Stats {
			g := lobby.GameStats{Waiting: 2, Running: 1, Created: 9, Stats: match.Stats{Finished: 5, Aborted: map[string]uint64{"process": 1}}}
			g.Answers.Add(time.Second)
			return lobby.Stats{Games: map[string]lobby.GameStats{"dama": g, "damath": {}}, Refused: map[string]uint64{lobby.LimitMatches: 3}}
		}),
		Web:     fakeWeb{Connections: 7, Relays: 29, FromHosts: 30, Read: 100, Limited: map[string]uint64{"connections": 4}},
		Games:   loaded(map[string]catalog.Stats{"dama": {Processes: 1, Loaded: 2}}),
		Records: fakeStore{Records: 6, Removed: 14, Used: 15, Free: 16},

		Isolation: func() map[string]bool { return map[string]bool{"files": true, "group": false} },
		Players:   fakePlayers{Logins: map[string]uint64{"ok": 8, "wrong_token": 9}, Registrations: map[string]uint64{"ok": 10}},
		Serving:   fakeDesk{Serving: 11, NotJoined: 12, Full: 13},
		Contests:  fakeContest{Contests: map[contest.Phase]int{contest.Running: 17}, Matches: 18, Absent: 19},
		Webhooks:  fakeHooks{"club": {Waiting: 41, Delivered: 42, Failed: 43, GivenUp: 44}},
		Programs:  fakePrograms{},
		Cluster: fakeCluster{
			Connected: true, Hosts: 20, Elsewhere: 21, Puts: 22, PutsFailed: 23, RequestsServed: 24, RequestsFailed: 25, Refused: 26, Fenced: 27, WasFenced: 28,
		},
	}
}

func get(p *Page, path string) (int, string) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestHostIsReadyBetweenItsStartAndItsEnd(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	steps := []struct {
		name          string
		do            func()
		ready, health int
	}{
		{"starting", func() {}, 503, 200},
		{"serving", func() { p.Started(sources()) }, 200, 200},
		{"stopping", p.Stopping, 503, 200},
	}
	for _, s := range steps {
		s.do()
		if status, body := get(p, "/readyz"); status != s.ready {
			t.Errorf("%s: readyz is %d %q, want %d", s.name, status, body, s.ready)
		}
		if status, body := get(p, "/healthz"); status != s.health {
			t.Errorf("%s: healthz is %d %q, want %d", s.name, status, body, s.health)
		}
	}
}

func TestHostWithoutARecordIsNotReadyAndOneWithoutNATSIs(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		available, connected bool
		yields               bool
		status               int
		body                 string
	}{
		{"all is well", true, true, false, 200, "ok\n"},
		{"no NATS, and another host takes the clients", true, false, true, 503, "not connected to NATS: another host takes the clients (cluster.without_nats)\n"},
		{"no NATS", true, false, false, 200, "ok, but not connected to NATS: the matches of other hosts cannot be reached\n"},
		{"no PostgreSQL", false, true, false, 503, "the records cannot be written\n"},
		{"neither", false, false, false, 503, "the records cannot be written\n"},
	} {
		p := New(slog.New(slog.DiscardHandler))
		s := sources()
		s.Available, s.Cluster = func() bool { return tt.available }, fakeCluster{Connected: tt.connected, Yields: tt.yields}
		p.Started(s)
		if status, body := get(p, "/readyz"); status != tt.status || body != tt.body {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, status, body, tt.status, tt.body)
		}
	}
}

func TestHostThatCannotWriteIsNotReady(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	s := sources()
	s.Records = fakeStore{Fault: "the disk is full: x"}
	p.Started(s)
	if status, body := get(p, "/readyz"); status != 503 || body != "the records cannot be written: the disk is full: x\n" {
		t.Errorf("got %d %q, want 503 and why", status, body)
	}
	if _, body := get(p, "/metrics"); !strings.Contains(body, `colosseum_store_fault{kind="commit"} 1`) || !strings.Contains(body, `colosseum_store_fault{kind="damage"} 0`) {
		t.Errorf("got\n%s\nwant a fault of commits and no damage", body)
	}
}

func TestHostThatIsAloneHasNoMetricsOfACluster(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	s := sources()
	s.Cluster = nil
	p.Started(s)
	if _, body := get(p, "/metrics"); strings.Contains(body, "colosseum_cluster") {
		t.Errorf("got\n%s\nwant no metric of a cluster", body)
	}
}

func TestHostThatTakesNoProgramsHasNoMetricsOfThem(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	s := sources()
	s.Programs = nil
	p.Started(s)
	if status, body := get(p, "/metrics"); status != 200 || strings.Contains(body, "colosseum_hosted") || strings.Contains(body, "colosseum_submissions") {
		t.Errorf("got %d\n%s\nwant no metric of programs", status, body)
	}
}

func TestHostWithoutGamesIsNotReady(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	s := sources()
	s.Games = loaded(map[string]catalog.Stats{"dama": {Failed: 1}})
	p.Started(s)
	if status, body := get(p, "/readyz"); status != 503 || body != "no game runs\n" {
		t.Errorf("got %d %q, want 503 and no game runs", status, body)
	}
}

func TestHostIsReadyWhenItsGamesAreLoaded(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	s := sources()
	catalog := fakeCatalog{s.Games.Stats(), make(chan struct{})}
	s.Games = catalog
	p.Started(s)
	if status, body := get(p, "/readyz"); status != 503 || body != "games are being loaded\n" {
		t.Errorf("while one is being loaded: got %d %q, want 503 and games are being loaded", status, body)
	}
	if status, _ := get(p, "/healthz"); status != 200 {
		t.Errorf("while one is being loaded: health is %d, want 200", status)
	}
	close(catalog.ready)
	if status, body := get(p, "/readyz"); status != 200 {
		t.Errorf("afterwards: got %d %q, want 200", status, body)
	}
}

func TestHostThatHangsIsNotHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := New(slog.New(slog.DiscardHandler))
		s := sources()
		s.Lobby = fakeLobby(func() lobby.Stats { <-release; return lobby.Stats{} })
		p.Started(s)
		for i := range cap(p.checks) + 5 {
			begin := time.Now()
			status, body := get(p, "/healthz")
			if status != 503 || body != "the host hangs\n" {
				t.Errorf("check %d: got %d %q, want 503 and the host hangs", i, status, body)
			}
			want := healthTimeout
			if i >= cap(p.checks) {
				want = 0 // enough others hang
			}
			if took := time.Since(begin); took != want {
				t.Errorf("check %d took %v, want %v", i, took, want)
			}
		}
		close(release)
		synctest.Wait()
		if status, _ := get(p, "/healthz"); status != 200 {
			t.Errorf("afterwards: got %d, want 200", status)
		}
	})
}

func TestMetricsHaveTheFormatOfPrometheusAndAreDocumented(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	p.Started(sources())
	status, body := get(p, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", status, body)
	}
	for _, line := range []string{
		`colosseum_matches{game="dama",state="waiting"} 2`,
		`colosseum_matches{game="damath",state="running"} 0`,
		`colosseum_matches_aborted_total{game="dama",reason="process"} 1`,
		`colosseum_answer_seconds_bucket{game="dama",le="0.536870912"} 0`,
		`colosseum_answer_seconds_bucket{game="dama",le="1.073741824"} 1`,
		`colosseum_answer_seconds_bucket{game="dama",le="+Inf"} 1`,
		`colosseum_answer_seconds_sum{game="dama"} 1`,
		`colosseum_game_loads_total{plugin="dama",result="loaded"} 2`,
		`colosseum_limits_total{limit="matches"} 3`,
		`colosseum_limits_total{limit="connections"} 4`,
		`colosseum_client_bytes_total{direction="read"} 100`,
		`colosseum_records_total 6`,
		`colosseum_records_removed_total 14`,
		`colosseum_store_bytes{space="used"} 15`,
		`colosseum_store_bytes{space="free"} 16`,
		`colosseum_player_logins_total{result="wrong_token"} 9`,
		`colosseum_player_registrations_total{result="ok"} 10`,
		`colosseum_contests{state="running"} 17`,
		`colosseum_contest_matches 18`,
		`colosseum_contest_absent_total 19`,
		`colosseum_serving_players 11`,
		`colosseum_serving_seats_total{result="not_joined"} 12`,
		`colosseum_serving_refused_total{request="serve"} 13`,
		`colosseum_isolation{feature="files"} 1`,
		`colosseum_isolation{feature="group"} 0`,
		`# TYPE colosseum_turn_seconds histogram`,
		`colosseum_cluster_info{name="north"} 1`,
		`colosseum_cluster_connected 1`,
		`colosseum_cluster_leader 0`,
		`colosseum_cluster_hosts 20`,
		`colosseum_cluster_matches_elsewhere 21`,
		`colosseum_cluster_listings_total{result="put"} 22`,
		`colosseum_cluster_listings_total{result="failed"} 23`,
		`colosseum_cluster_requests_total{result="served"} 24`,
		`colosseum_cluster_requests_total{result="failed"} 25`,
		`colosseum_cluster_refused_total 26`,
		`colosseum_cluster_fenced_total 27`,
		`colosseum_cluster_was_fenced_total 28`,
		`colosseum_cluster_relays{direction="to"} 29`,
		`colosseum_cluster_relays{direction="from"} 30`,
		`colosseum_submissions{state="queued"} 31`,
		`colosseum_builds 32`,
		`colosseum_builds_total{result="refused"} 33`,
		`colosseum_build_seconds_total 34`,
		`colosseum_hosted_matches{state="playing"} 35`,
		`colosseum_hosted_matches{state="waiting"} 36`,
		`colosseum_hosted_matches_total 37`,
		`colosseum_hosted_failures_total 38`,
		`colosseum_hosted_faults_total 39`,
		`colosseum_hosted_cores 40`,
		`colosseum_webhook_waiting{webhook="club"} 41`,
		`colosseum_webhook_deliveries_total{result="delivered",webhook="club"} 42`,
		`colosseum_webhook_deliveries_total{result="failed",webhook="club"} 43`,
		`colosseum_webhook_given_up_total{webhook="club"} 44`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("got\n%s\nwant the line %s", body, line)
		}
	}
	manual, err := os.ReadFile("../../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (colosseum_\w+)`).FindAllStringSubmatch(body, -1) {
		if !strings.Contains(string(manual), "`"+m[1]+"`") {
			t.Errorf("docs/operating.md: got no %s, want it explained", m[1])
		}
	}
	if !strings.Contains(body, "process_resident_memory_bytes") || !strings.Contains(body, "go_goroutines") {
		t.Errorf("got\n%s\nwant metrics of the process and of Go", body)
	}
}
