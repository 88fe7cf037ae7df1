package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"colosseum/host/internal/base/histogram"
	"colosseum/host/internal/clients/web"
	"colosseum/host/internal/clients/webhook"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/hosted"
	"colosseum/host/internal/submissions/queue"
)

// Sources are the parts of the host with counters. Their methods are called when a
// page is requested, and must allow concurrent calls.
type Sources struct {
	Lobby interface{ Stats() lobby.Stats }
	Web   interface{ Stats() web.Stats }
	Games interface {
		Stats() map[string]catalog.Stats
		Ready() <-chan struct{} // closed when each game of the start is ready or has failed
	}
	Records interface{ Stats() store.Stats }
	Players interface{ Stats() players.Stats }
	Serving interface{ Stats() serving.Stats }
	// Contests are those among players.
	Contests interface{ Stats() director.Stats }
	Webhooks interface {
		Stats() map[string]webhook.HookStats
	}

	Isolation func() map[string]bool // protections by name

	// Available reports whether matches can begin, as far as the records permit it; nil:
	// they always do.
	Available func() bool
	// Cluster is nil if the host is alone.
	Cluster Cluster
	// Programs are those that players hand in; nil: this host takes none.
	Programs Programs
}

// Programs are those that players hand in.
type Programs interface {
	// Count returns the number of versions by state, at most a minute old, also while the
	// store hangs.
	Count() map[store.SubmissionState]int
	Builds() queue.Stats // zero if others build
	Hosted() hosted.Stats
	Cores() int // of this host for matches of programs
}

// Cluster is this host's part in the cluster.
type Cluster interface {
	Name() string
	Stats() cluster.Stats
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("colosseum_"+name, help, labels, nil)
}

// The metrics; docs/operating.md explains them.
var (
	matches    = describe("matches", "Matches now, by state: waiting or running.", "game", "state")
	spectators = describe("spectators", "Clients that watch a match now.", "game")
	created    = describe("matches_created_total", "Matches that were created.", "game")
	expired    = describe("matches_expired_total", "Matches that expired before they had all players.", "game")
	finished   = describe("matches_finished_total", "Matches that were played to their end.", "game")
	aborted    = describe("matches_aborted_total", "Matches that were aborted, by reason.", "game", "reason")
	missing    = describe("answers_missing_total", "Questions without an answer: the player was late, had missed the tick, or had left.", "game", "why")
	dropped    = describe("lines_dropped_total", "Lines of players that were not the answer to a tick.", "game")
	answers    = describe("answer_seconds", "Time from a question to the player's answer.", "game")
	turns      = describe("turn_seconds", "Time from the players' answers to what the game sends next, its bots included.", "game")

	processes = describe("game_processes", "Processes of the game now: the current version's, and old ones with matches.", "plugin")
	playing   = describe("game_process_matches", "Matches in these processes.", "plugin")
	queued    = describe("game_queue_frames", "Frames that wait to be sent to these processes.", "plugin")
	loads     = describe("game_loads_total", "Versions of the game that were loaded or failed to load.", "plugin", "result")
	deaths    = describe("game_deaths_total", "Processes of the game that ended unexpectedly.", "plugin")

	connections = describe("connections", "Connections of clients now.")
	accepted    = describe("connections_total", "Connections of clients that were accepted or refused.")
	bytes       = describe("client_bytes_total", "Bytes of messages, read from clients and written to them.", "direction")
	backlog     = describe("backlog_bytes", "Bytes that wait now for clients that read slowly.")
	limits      = describe("limits_total", "Requests refused and connections closed, by limit.", "limit")

	logins        = describe("player_logins_total", "Clients that sent a token, by result.", "result")
	registrations = describe("player_registrations_total", "Requests to register a player, by result.", "result")

	contests       = describe("contests", "Contests among players, by state: open, running, paused or ended.", "state")
	contestMatches = describe("contest_matches", "Matches of contests that wait for their players or run.")
	contestAbsent  = describe("contest_absent_total", "Players that did not come to a match of a contest in time.")
	servingPlayers = describe("serving_players", "Players that serve now.")
	servingMatches = describe("serving_matches", "Seats in matches that count now for players that serve or have served.")
	servingSeats   = describe("serving_seats_total", "Seats that players that serve were assigned, by result: assigned, or later not_joined.", "result")
	servingRefused = describe("serving_refused_total", "Requests refused: challenge, or players of which too many serve.", "request")

	webhookWaiting = describe("webhook_waiting", "Messages that wait for a webhook, on the host that sends them.", "webhook")
	webhookSent    = describe("webhook_deliveries_total", "Tries to send a message to a webhook, by result: delivered or failed.", "webhook", "result")
	webhookGivenUp = describe("webhook_given_up_total", "Messages that are not tried again.", "webhook")

	clusterName      = describe("cluster_info", "Always 1: the name of this host in the cluster.", "name")
	clusterConnected = describe("cluster_connected", "Whether this host is connected to NATS: 1 or 0.")
	clusterLeader    = describe("cluster_leader", "Whether this host pairs the players that serve, and plays the contests: 1 or 0.")
	clusterHosts     = describe("cluster_hosts", "Hosts that live, as this one sees them, with this one.")
	clusterElsewhere = describe("cluster_matches_elsewhere", "Matches of other hosts that this one lists.")
	clusterListings  = describe("cluster_listings_total", "Listings of this host's matches, by result: put or failed.", "result")
	clusterRequests  = describe("cluster_requests_total", "Requests of other hosts, by result: served or failed.", "result")
	clusterRefused   = describe("cluster_refused_total", "Values, requests and messages of other hosts that could not be opened, or were too old or repeated.")
	clusterFenced    = describe("cluster_fenced_total", "Hosts that this host has fenced, because they were dead.")
	clusterWasFenced = describe("cluster_was_fenced_total", "Times that this host was fenced.")
	clusterRelays    = describe("cluster_relays", "Relays now: to other hosts, or from them.", "direction")

	submissions   = describe("submissions", "Programs that were handed in, by state, at most a minute ago.", "state")
	builds        = describe("builds", "Programs that this host builds or tries now.")
	buildsEnded   = describe("builds_total", "Programs that this host has built and tried, by result: accepted, refused, or failed by its own fault.", "result")
	buildSeconds  = describe("build_seconds_total", "Time of all builds.")
	hostedMatches = describe("hosted_matches", "Matches now with programs that were handed in, by state: playing, or waiting for a core.", "state")
	hostedEnded   = describe("hosted_matches_total", "Matches that such programs have played.")
	hostedLost    = describe("hosted_failures_total", "Seats that such programs have lost by their own fault.")
	hostedFaults  = describe("hosted_faults_total", "Matches of such programs that this host could not play.")
	hostedCores   = describe("hosted_cores", "Cores of this host for such matches.")

	isolation = describe("isolation", "Whether games are confined by a protection of the system: 1 or 0.", "feature")

	commits  = describe("commit_seconds", "Time of a commit of records to the disk.")
	failures = describe("commit_failures_total", "Commits of records that failed.")
	records  = describe("records_total", "Records of ended matches that are safe on the disk.")
	removed  = describe("records_removed_total", "Records that were removed, because they were old or exceeded records.max_gb.")
	rows     = describe("store_queue_rows", "Rows that wait for the next commit.")
	fault    = describe("store_fault", "Whether the last commit failed, and whether the file of the records is damaged: 1 or 0.", "kind")
	size     = describe("store_bytes", "Size of the database without its log, at most a minute ago: used, or free for new records.", "space")
)

// collector reads the sources for each request to /metrics.
type collector struct{ sources Sources }

// Describe sends nothing, since the labels change while the host runs.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	durations := func(d *prometheus.Desc, h *histogram.Durations, labels ...string) {
		out <- prometheus.MustNewConstHistogram(d, h.Count(), h.Sum().Seconds(), h.Cumulative(), labels...)
	}

	l := c.sources.Lobby.Stats()
	for game, g := range l.Games {
		gauge(matches, int64(g.Waiting), game, "waiting")
		gauge(matches, int64(g.Running), game, "running")
		gauge(spectators, int64(g.Spectators), game)
		counter(created, g.Created, game)
		counter(expired, g.Expired, game)
		counter(finished, g.Finished, game)
		for reason, n := range g.Aborted {
			counter(aborted, n, game, reason)
		}
		counter(missing, g.Late, game, "late")
		counter(missing, g.Missed, game, "missed")
		counter(missing, g.Gone, game, "gone")
		counter(dropped, g.Dropped, game)
		durations(answers, &g.Answers, game)
		durations(turns, &g.Turns, game)
	}
	for limit, n := range l.Refused {
		counter(limits, n, limit)
	}

	for plugin, g := range c.sources.Games.Stats() {
		gauge(processes, int64(g.Processes), plugin)
		gauge(playing, int64(g.Matches), plugin)
		gauge(queued, int64(g.Queued), plugin)
		counter(loads, g.Loaded, plugin, "loaded")
		counter(loads, g.Failed, plugin, "failed")
		counter(deaths, g.Died, plugin)
	}

	for feature, ok := range c.sources.Isolation() {
		gauge(isolation, flag(ok), feature)
	}

	w := c.sources.Web.Stats()
	gauge(connections, int64(w.Connections))
	counter(accepted, w.Accepted)
	counter(bytes, w.Read, "read")
	counter(bytes, w.Written, "written")
	gauge(backlog, w.Backlog)
	for limit, n := range w.Limited {
		counter(limits, n, limit)
	}

	if k := c.sources.Cluster; k != nil {
		n := k.Stats()
		gauge(clusterName, 1, k.Name())
		gauge(clusterConnected, flag(n.Connected))
		gauge(clusterLeader, flag(n.Leader))
		gauge(clusterHosts, int64(n.Hosts))
		gauge(clusterElsewhere, int64(n.Elsewhere))
		counter(clusterListings, n.Puts, "put")
		counter(clusterListings, n.PutsFailed, "failed")
		counter(clusterRequests, n.RequestsServed, "served")
		counter(clusterRequests, n.RequestsFailed, "failed")
		counter(clusterRefused, n.Refused)
		counter(clusterFenced, n.Fenced)
		counter(clusterWasFenced, n.WasFenced)
		gauge(clusterRelays, int64(w.Relays), "to")
		gauge(clusterRelays, int64(w.FromHosts), "from")
	}

	p := c.sources.Players.Stats()
	for result, n := range p.Logins {
		counter(logins, n, result)
	}
	for result, n := range p.Registrations {
		counter(registrations, n, result)
	}

	if h := c.sources.Programs; h != nil {
		for state, n := range h.Count() {
			gauge(submissions, int64(n), string(state))
		}
		b, m := h.Builds(), h.Hosted()
		gauge(builds, int64(b.Working))
		for result, n := range b.Ended {
			counter(buildsEnded, n, result)
		}
		out <- prometheus.MustNewConstMetric(buildSeconds, prometheus.CounterValue, b.Building.Seconds())
		gauge(hostedMatches, int64(m.Playing), "playing")
		gauge(hostedMatches, int64(m.Waiting), "waiting")
		counter(hostedEnded, m.Matches)
		counter(hostedLost, m.Failures)
		counter(hostedFaults, m.Faults)
		gauge(hostedCores, int64(h.Cores()))
	}

	d := c.sources.Serving.Stats()
	t := c.sources.Contests.Stats()
	for phase, n := range t.Contests {
		gauge(contests, int64(n), string(phase))
	}
	gauge(contestMatches, int64(t.Matches))
	counter(contestAbsent, t.Absent)
	for hook, n := range c.sources.Webhooks.Stats() {
		gauge(webhookWaiting, int64(n.Waiting), hook)
		counter(webhookSent, n.Delivered, hook, "delivered")
		counter(webhookSent, n.Failed, hook, "failed")
		counter(webhookGivenUp, n.GivenUp, hook)
	}
	gauge(servingPlayers, int64(d.Serving))
	gauge(servingMatches, int64(d.Matches))
	counter(servingSeats, d.Assigned, "assigned")
	counter(servingSeats, d.NotJoined, "not_joined")
	counter(servingRefused, d.Refused, "challenge")
	counter(servingRefused, d.Full, "serve")

	s := c.sources.Records.Stats()
	durations(commits, &s.Commits)
	counter(failures, s.Failed)
	counter(records, s.Records)
	counter(removed, s.Removed)
	gauge(rows, int64(s.Waiting))
	gauge(fault, flag(s.Fault != ""), "commit")
	gauge(fault, flag(s.Damaged), "damage")
	gauge(size, s.Used, "used")
	gauge(size, s.Free, "free")
}

// flag returns 1 for true.
func flag(on bool) int64 {
	if on {
		return 1
	}
	return 0
}
