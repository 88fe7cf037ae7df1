package site

import (
	"context"
	"net/http"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/host/internal/clients/exported"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/analysis"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/registry"
	"colosseum/protocol"
)

// Parts are what a site shows.
type Parts struct {
	Games   Games
	Lobby   Lobby
	Serving Serving
	Records Records
	Readers Readers
	Seats   Seats

	Players     Players     // nil: none can register or log in
	Contests    Contests    // nil: there are none
	Analyses    Analyses    // nil: there are none
	Submissions Submissions // nil: no program can be handed in

	Logins   Logins   // nil: players log in with a token only
	Provider Provider // nil: people log in nowhere else
	Button   string   // the text of the button for the provider
	Address  string   // of this host in browsers, like https://club.example, without Prefix; empty: the one that they use

	Prefix string // what comes before the paths of this host in browsers, without a slash at the end; empty: nothing

	Embed []string // origins of sites that can show matches in a frame; "*": all

	// Of a host in a cluster; nil: this host is alone.
	Hosts  Hosts
	Clocks Clocks

	Downloads *downloads.Folder // nil: none are offered
	Exported  *exported.Folder  // of records; nil: none are offered

	Watched bool // the host watches the folders of the games, so pages look for new viewers often

	Alone func() cluster.Host // describes a host that is alone, for the page of hosts
}

// Games are the games of the catalog.
type Games interface {
	List() []*catalog.Offer
	Generation() uint64 // of List
}

// Lobby holds the waiting and running matches.
type Lobby interface {
	List() []protocol.MatchInfo
	Generation() uint64 // of List
	Info(id string) (protocol.MatchInfo, bool)
	ClocksFor(id string, player bool) (clocks []match.Clock, running bool)
	Snapshot() (infos []protocol.MatchInfo, generation uint64)
	Subscribe(s lobby.Subscriber, seed func() (generation uint64))
	Unsubscribe(s lobby.Subscriber)
}

// Clocks are those of the matches of other hosts.
type Clocks interface {
	// Clocks is ClocksFor of Lobby, for the client with a ticket, given its SHA-256. An
	// error means that the host of the match did not answer.
	Clocks(ctx context.Context, id string, ticket [32]byte) (clocks []match.Clock, running bool, err error)
}

// Seats are those of the players of this host.
type Seats interface {
	// Holds reports whether a ticket, given its SHA-256, is that of a seat in a match.
	Holds(id string, ticket [32]byte) bool
}

// Serving holds the players that serve.
type Serving interface {
	List() []serving.Player
	Generation() uint64 // of List
}

// Records are the records of the store.
type Records interface {
	Get(ctx context.Context, id string) (*record.Match, error)
	Select(ctx context.Context, q store.Query) (page []*record.Match, next string, err error)
}

// Readers bounds the cost of all reading, here and on WebSockets, so that reading
// never slows down matches.
type Readers interface {
	// Pay subtracts points for a request from the budgets of its address and of
	// all clients. It can wait for a short time. It returns 0, or how long the
	// client must wait before it tries again; busy reports that the budget of all
	// clients is used up.
	Pay(r *http.Request, points int) (retry time.Duration, busy bool)
	// Charge subtracts the cost of the bytes of an answer. It returns how long the
	// client must wait to stay within its budget.
	Charge(r *http.Request, bytes int) (wait time.Duration)
	// Work waits for a slot for long work; calling done frees it. It is not ok
	// when too many others are waiting, or ctx has ended.
	Work(ctx context.Context) (done func(), ok bool)
	// Follow counts an answer that goes on until its client leaves as one of the
	// client's connections, until done is called. The error is for the client.
	Follow(r *http.Request) (done func(), err error)
	// Client returns the address of a request as limits count it, and whether the
	// connection is encrypted, as far as the client sees it.
	Client(r *http.Request) (address string, encrypted bool)
}

// Players are the registered players. The errors are those of the package players.
type Players interface {
	Authenticate(ctx context.Context, address, token string, scope players.Scope) (player string, err error)
	Register(ctx context.Context, address, name, invite string) (token string, err error)
	Registration() string // players.Open, players.Invite, players.OIDC or players.Closed
	// Pupils returns what only organizers see of players, by name in lower case.
	Pupils(ctx context.Context) (map[string]players.Pupil, error)
	Accounts
}

// Accounts are what players change about themselves. The errors are those of the package
// players.
type Accounts interface {
	Tokens(ctx context.Context, player string) ([]store.Token, error)
	Mint(ctx context.Context, player, label string, scopes []players.Scope, life time.Duration) (token, id string, err error)
	Revoke(ctx context.Context, player, id string) error
	// Rename gives a player another name. Its contests follow.
	Rename(ctx context.Context, player, name string) error
	// Names returns all names of the player that has or had a name, the one that it has now
	// first; none if there is no such player.
	Names(ctx context.Context, name string) ([]string, error)
}

// Contests are the contests of the host. What its methods return is not changed by
// anyone. Until the generation changes they return the same, and View and Ratings
// are cheap.
type Contests interface {
	Generation() uint64 // changes with anything that the other methods return
	// List returns the running contests first, then those that are paused, open and
	// ended, of each the newest first.
	List(ctx context.Context) ([]contest.Summary, error)
	// View returns a contest, or contest.ErrUnknown.
	View(ctx context.Context, name string) (*contest.View, error)
	// Ratings returns the ratings of a game, the best first, or contest.ErrUnknown if it
	// has no rated match.
	Ratings(ctx context.Context, game string) ([]contest.Standing, error)
	// Player returns a registered player, or a bot with a rating, or contest.ErrUnknown.
	Player(ctx context.Context, name string) (*contest.Profile, error)
	// History returns the rating of such a player in a game since a time, nil if it has none.
	History(ctx context.Context, name, game string, since time.Time) ([]contest.Point, error)
	// Enter enters a registered player, and Withdraw withdraws it. They return
	// contest.ErrUnknown if there is no such contest; other errors are for the client.
	Enter(ctx context.Context, name, player string) error
	Withdraw(ctx context.Context, name, player string) error
	// EnterTeam enters a team for its captain, or accepts the invitation of a player, and
	// LineUp changes the players of a team. Their errors are those of Enter.
	EnterTeam(ctx context.Context, name, player, team string, others []string) error
	LineUp(ctx context.Context, name, by, team string, players []string) error
	// Here notes that a registered player is there for a match until the time that it
	// returns. It has the errors of Enter.
	Here(ctx context.Context, name, player string) (until time.Time, err error)
	// Try begins a try of a registered player to reach a pass mark, with the same errors.
	Try(ctx context.Context, name, player string, serves func(game string) bool) error
	// Organizes reports whether a registered player can run a contest, or returns
	// contest.ErrUnknown.
	Organizes(ctx context.Context, name, player string) (bool, error)
	// Organize does with a contest what a registered player wants. It returns
	// contest.ErrUnknown, or contest.ErrOrganizer if the player is not one of its
	// organizers; other errors are for the client.
	Organize(ctx context.Context, name, player string, order contest.Order) error
}

// noContests are the contests of a host that has none.
type noContests struct{}

func (noContests) Generation() uint64                              { return 0 }
func (noContests) List(context.Context) ([]contest.Summary, error) { return nil, nil }
func (noContests) View(context.Context, string) (*contest.View, error) {
	return nil, contest.ErrUnknown
}
func (noContests) Ratings(context.Context, string) ([]contest.Standing, error) {
	return nil, contest.ErrUnknown
}
func (noContests) Player(context.Context, string) (*contest.Profile, error) {
	return nil, contest.ErrUnknown
}
func (noContests) History(context.Context, string, string, time.Time) ([]contest.Point, error) {
	return nil, nil
}
func (noContests) Organizes(context.Context, string, string) (bool, error) {
	return false, contest.ErrUnknown
}
func (noContests) Organize(context.Context, string, string, contest.Order) error {
	return contest.ErrUnknown
}
func (noContests) Here(context.Context, string, string) (time.Time, error) {
	return time.Time{}, contest.ErrUnknown
}
func (noContests) Try(context.Context, string, string, func(string) bool) error {
	return contest.ErrUnknown
}
func (noContests) Enter(context.Context, string, string) error    { return contest.ErrUnknown }
func (noContests) Withdraw(context.Context, string, string) error { return contest.ErrUnknown }
func (noContests) EnterTeam(context.Context, string, string, string, []string) error {
	return contest.ErrUnknown
}
func (noContests) LineUp(context.Context, string, string, string, []string) error {
	return contest.ErrUnknown
}

// Analyses are the analyses of ended matches. The errors are those of the package
// analysis.
type Analyses interface {
	Look(match string) (status analysis.Status, ok bool)
	Start(rec *record.Match) (analysis.Status, error)
}

// Submissions are the programs that players hand in. An error that is a *registry.Refusal is
// for the client.
type Submissions interface {
	Games() []string // for which programs can be handed in
	Languages() []registry.Language
	Limits() (archiveBytes int64) // of the longest upload
	// Submit takes a program: an archive, or one source file with this name.
	Submit(ctx context.Context, player, address, game, file string, body []byte) (registry.Version, error)
	// List returns the versions of a player, the newest first; "" is all games.
	List(ctx context.Context, player, game string) ([]registry.Version, error)
	Get(ctx context.Context, player, game string, version int) (registry.Version, error)
	// Log returns the output of the build from one of its bytes on, and its length in bytes.
	Log(ctx context.Context, player, game string, version, from int) (text string, total int, err error)
	Activate(ctx context.Context, player, game string, version int) (registry.Version, error)
	Pause(ctx context.Context, player, game string) error
	Remove(ctx context.Context, player, game string, version int) error
	Source(ctx context.Context, player, game string, version int) (zip []byte, err error)
	Journals(ctx context.Context, player, game string, version int) ([]registry.JournalEntry, error)
	Journal(ctx context.Context, player, game string, version int, match string) (text string, err error)
	Work(ctx context.Context) (registry.Work, error)
}

// Hosts are the hosts of the cluster.
type Hosts interface {
	Hosts() []cluster.Host // by name, this one included
	Generation() uint64    // of Hosts
	Name() string          // of this host
	Connected() bool       // this host hears the others now
}
