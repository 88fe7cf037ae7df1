package web

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// shared is what all sessions share.
type shared struct {
	lobby     *lobby.Lobby
	desk      Desk
	history   History
	players   Players
	tracer    *trace.Tracer
	cluster   Cluster  // nil: this host is alone
	hints     Hints    // nil: it gives none
	features  []string // for handshakes
	seats     *seat.Set
	hosts     *forward.Hosts
	limits    Limits
	log       *slog.Logger
	accepted  atomic.Uint64 // sessions; the number of each, for logs
	read      atomic.Uint64 // bytes
	budget    *outbox.Budget
	proxies   proxies
	foreign   *rate.Limiter // limits log lines about pages of other hosts
	addresses *limit.Addresses
	readers   *limit.Readers
	answers   answers

	countMu sync.Mutex        // guards the field below; it is taken last
	limited map[string]uint64 // refused requests and closed connections, by limit
}

// newShared returns what sessions share, without the budget for what waits for clients.
func newShared(parts Parts, limits Limits, proxies []netip.Prefix, log *slog.Logger) *shared {
	s := &shared{
		lobby: parts.Lobby, desk: parts.Desk, history: parts.History, players: parts.Players,
		tracer: parts.Tracer, cluster: parts.Cluster, hints: parts.Hints,
		features: []string{protocol.FeaturePlayers, protocol.FeatureFind, protocol.FeatureServe, protocol.FeatureClock, protocol.FeatureRematch, protocol.FeatureLevels, protocol.FeatureSeat, protocol.FeatureHints, protocol.FeatureRetries, protocol.FeatureNotes, protocol.FeatureSpectate, protocol.FeatureBranch},
		seats:    seat.NewSet(parts.Lobby, seat.Limits{Resume: limits.Resume, Backlog: limits.Backlog, Backlogs: limits.Backlogs, Guesses: limits.Guesses}),
		limits:   limits, log: log, proxies: proxies, foreign: rate.NewLimiter(rate.Every(foreignInterval), foreignBurst),
		addresses: limit.NewAddresses(limits.Address), readers: limit.NewReaders(limits.Reads), limited: map[string]uint64{},
	}
	s.answers = answers{parts: parts, work: s.work}
	s.hosts = forward.New(forward.Parts{
		Cluster: parts.Cluster, Lobby: parts.Lobby, Record: s.record, Timeout: requestTimeout, Resume: limits.Resume, Log: log,
	})
	if limits.Resume > 0 {
		s.features = append(s.features, protocol.FeatureResume)
	}
	return s
}

// Pages of other hosts that are refused are logged in a burst, and then one in each interval.
const (
	foreignBurst    = 10
	foreignInterval = 10 * time.Second
)

// requestTimeout bounds the time to answer one request.
const requestTimeout = 10 * time.Second

// maxPause is how long a client waits at most because its address sends or reads
// too much. Beyond that it is refused.
const maxPause = time.Second

// Work waits for a slot for long work, which the caller has until it calls done.
// If too many others wait, or ctx ends, ok is false.
func (s *shared) Work(ctx context.Context) (done func(), ok bool) {
	done, ok = s.readers.Work(ctx)
	if !ok {
		s.count(limit.ReadsWaiting)
	}
	return done, ok
}

// record reads the record of a match, as long work.
func (s *shared) record(ctx context.Context, id string) (*record.Match, error) {
	done, ok := s.Work(ctx)
	if !ok {
		return nil, errTooManyWait
	}
	defer done()
	return s.history.Get(ctx, id)
}

// work is Work for a request of a session. It does not count the refusal.
func (s *shared) work(ctx context.Context) (done func(), err error) {
	done, ok := s.readers.WorkOfConnection(ctx)
	if !ok {
		return nil, errTooManyWait
	}
	return done, nil
}

// count counts a refusal by a limit.
func (s *shared) count(name string) {
	s.countMu.Lock()
	defer s.countMu.Unlock()
	s.limited[name]++
}
