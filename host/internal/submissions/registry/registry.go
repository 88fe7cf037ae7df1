package registry

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
)

// Settings of a registry.
type Settings struct {
	Takes     func(game string) bool // whether programs can be handed in for a game
	Games     func() []string        // the names of all games
	Languages *language.Set
	Allowed   []string // languages; nil: all
	Archive   archive.Limits
	Upload    int64 // bytes of the longest archive
	Quotas    store.SubmissionQuotas
	Changed   func()        // called after each change, so that it takes effect at once
	Work      func(w *Work) // fills in what the queue and the programs of this host do
	// Installed returns the languages that can be built, and Ready why one of them can't.
	Installed func() []Language
	Ready     func(ctx context.Context, l *language.Language) error
}

// Registry is the programs that are handed in. Its methods can be called concurrently. Their
// errors are a *Refusal if they are for the client.
type Registry struct {
	store    *store.Submissions
	settings Settings
	log      *slog.Logger
}

// New returns the registry of a store.
func New(s *store.Submissions, settings Settings, log *slog.Logger) *Registry {
	return &Registry{store: s, settings: settings, log: log}
}

// Games returns the games for which programs can be handed in.
func (r *Registry) Games() []string {
	list := []string{}
	for _, game := range r.settings.Games() {
		if r.settings.Takes(game) {
			list = append(list, game)
		}
	}
	return list
}

// Languages returns the languages that can be built.
func (r *Registry) Languages() []Language { return r.settings.Installed() }

// Limits returns the length of the longest archive in bytes.
func (r *Registry) Limits() (archiveBytes int64) { return r.settings.Upload }

// Submit takes a program: a file with the given name, or an archive. It is built and tried
// after that.
func (r *Registry) Submit(ctx context.Context, player, address, game, file string, body []byte) (Version, error) {
	if games := r.Games(); !slices.Contains(games, game) {
		return Version{}, refuse(http.StatusForbidden, "programs cannot be handed in for %s on this host: it takes them for %s", short(game), orNone(games))
	}
	if len(body) == 0 {
		return Version{}, refuse(http.StatusUnprocessableEntity, "the file is empty")
	}
	if int64(len(body)) > r.settings.Upload {
		return Version{}, refuse(http.StatusRequestEntityTooLarge, "the file has more than %d bytes: leave out what the program does not need", r.settings.Upload)
	}
	tree, _, err := archive.Unpack(file, body, r.settings.Archive)
	if err != nil {
		return Version{}, unpackable(err)
	}
	plan, err := r.settings.Languages.Recognize(tree, r.settings.Allowed)
	if err != nil {
		return Version{}, refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	if err := r.settings.Ready(ctx, plan.Language); err != nil {
		return Version{}, refuse(http.StatusUnprocessableEntity, "%s programs cannot be built on this host now: ask its operator", plan.Language.Title)
	}
	s, err := r.store.Add(ctx, store.NewSubmission{
		Player: player, Game: game, Hash: tree.Hash(), Language: plan.Language.Name, Address: address, Source: tree.Pack(),
	}, r.settings.Quotas)
	if err != nil {
		return Version{}, r.refusal(err)
	}
	r.log.Info("a program was handed in", "player", player, "game", game, "version", s.Version, "language", s.Language, "bytes", s.Bytes)
	r.settings.Changed()
	return r.shown(ctx, s)
}

// unpackable returns an error of Unpack for the client.
func unpackable(err error) error {
	if wrong, ok := errors.AsType[*archive.Error](err); ok {
		return refuse(http.StatusUnprocessableEntity, "%v", wrong)
	}
	return err
}

// List returns the versions of a player, the newest first; with an empty game those of all.
func (r *Registry) List(ctx context.Context, player, game string) ([]Version, error) {
	list, err := r.store.List(ctx, store.SubmissionQuery{Player: player, Game: game, Limit: maxListed})
	if err != nil {
		return nil, r.refusal(err)
	}
	all := make([]Version, 0, len(list))
	for _, s := range list {
		v, err := r.shown(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// maxListed is how many versions of a player are listed.
const maxListed = 500

// Get returns one version.
func (r *Registry) Get(ctx context.Context, player, game string, version int) (Version, error) {
	s, err := r.get(ctx, player, game, version)
	if err != nil {
		return Version{}, err
	}
	return r.shown(ctx, s)
}

func (r *Registry) get(ctx context.Context, player, game string, version int) (store.Submission, error) {
	s, err := r.store.Get(ctx, player, game, version)
	if err != nil {
		return s, r.refusal(err)
	}
	return s, nil
}

// kept returns a version that was not removed.
func (r *Registry) kept(ctx context.Context, player, game string, version int) (store.Submission, error) {
	s, err := r.get(ctx, player, game, version)
	if err == nil && s.State == store.Removed {
		err = refuse(http.StatusGone, "version %d was removed", version)
	}
	return s, err
}

// Log returns the output of the build of a version from a byte on, and its length in all.
func (r *Registry) Log(ctx context.Context, player, game string, version, from int) (text string, total int, err error) {
	s, err := r.get(ctx, player, game, version)
	if err != nil {
		return "", 0, err
	}
	b, total, err := r.store.Log(ctx, s.Number, from)
	if err != nil {
		return "", 0, r.refusal(err)
	}
	return string(b), total, nil
}

// Activate lets an accepted version play for its player, instead of another one. It ends
// the rest of a version.
func (r *Registry) Activate(ctx context.Context, player, game string, version int) (Version, error) {
	s, err := r.kept(ctx, player, game, version)
	if err != nil {
		return Version{}, err
	}
	if s.State != store.Accepted {
		return Version{}, refuse(http.StatusConflict, "version %d is %s: only an accepted one can play", version, s.State)
	}
	if s, err = r.store.Activate(ctx, player, game, version); err != nil {
		return Version{}, r.refusal(err)
	}
	r.settings.Changed()
	return r.shown(ctx, s)
}

// Pause makes no version of a player play a game.
func (r *Registry) Pause(ctx context.Context, player, game string) error {
	if _, err := r.store.Activate(ctx, player, game, 0); err != nil {
		return r.refusal(err)
	}
	r.settings.Changed()
	return nil
}

// Remove removes the files of a version. Its number is not used again.
func (r *Registry) Remove(ctx context.Context, player, game string, version int) error {
	s, err := r.kept(ctx, player, game, version)
	if err != nil {
		return err
	}
	if err := r.store.Remove(ctx, s.Number); err != nil {
		return r.refusal(err)
	}
	r.settings.Changed()
	return nil
}

// Source returns the files of a version as they were handed in.
func (r *Registry) Source(ctx context.Context, player, game string, version int) (zip []byte, err error) {
	s, err := r.kept(ctx, player, game, version)
	if err != nil {
		return nil, err
	}
	packed, err := r.store.Source(ctx, s.Number)
	if err != nil {
		return nil, r.refusal(err)
	}
	tree, err := archive.Open(packed, r.settings.Archive)
	if err != nil {
		return nil, fmt.Errorf("open the stored files: %w", err)
	}
	return tree.Zip(), nil
}

// Journals returns the matches of a version of which its output on stderr is kept, the
// newest first.
func (r *Registry) Journals(ctx context.Context, player, game string, version int) ([]JournalEntry, error) {
	s, err := r.kept(ctx, player, game, version)
	if err != nil {
		return nil, err
	}
	list, err := r.store.Journals(ctx, s.Number)
	if err != nil {
		return nil, r.refusal(err)
	}
	all := make([]JournalEntry, 0, len(list))
	for _, j := range list {
		all = append(all, JournalEntry{Match: j.Match, At: j.At})
	}
	return all, nil
}

// Journal returns the end of what a version wrote to stderr in a match.
func (r *Registry) Journal(ctx context.Context, player, game string, version int, match string) (string, error) {
	s, err := r.kept(ctx, player, game, version)
	if err != nil {
		return "", err
	}
	text, found, err := r.store.Journal(ctx, s.Number, match)
	switch {
	case err != nil:
		return "", r.refusal(err)
	case !found:
		return "", refuse(http.StatusNotFound, "nothing is kept of version %d in this match: it wrote nothing to stderr, or the match is too long ago", version)
	}
	return text, nil
}

// Work returns what the host has to do for all programs.
func (r *Registry) Work(ctx context.Context) (Work, error) {
	states, _, err := r.store.Count(ctx)
	if err != nil {
		return Work{}, r.refusal(err)
	}
	w := Work{Queued: states[store.Queued], Building: states[store.Building] + states[store.Trying]}
	r.settings.Work(&w)
	return w, nil
}

// shown returns a version for its player.
func (r *Registry) shown(ctx context.Context, s store.Submission) (Version, error) {
	v := Version{
		Game: s.Game, Version: s.Version, Player: s.Player, Language: s.Language, State: string(s.State), Fault: s.Fault, Reason: s.Reason,
		Created: s.Created, Changed: s.Changed, Bytes: s.Bytes, Hash: hex.EncodeToString(s.Hash[:]), Active: s.Active, Rests: s.Rests, Failures: s.Failures,
	}
	if s.State == store.Queued {
		place, err := r.store.Waiting(ctx, s.Number)
		if err != nil {
			return v, r.refusal(err)
		}
		v.Position = place
	}
	return v, nil
}

// refusal returns an error of the store for the client, or as it is.
func (r *Registry) refusal(err error) error {
	if quota, ok := errors.AsType[*store.SubmissionQuotaError](err); ok {
		return refuse(http.StatusTooManyRequests, "%s", quotaText(quota))
	}
	if same, ok := errors.AsType[*store.SameSubmissionError](err); ok {
		return refuse(http.StatusConflict, "these are the files of version %d: nothing has changed", same.Version)
	}
	if errors.Is(err, store.ErrNoSubmission) {
		return refuse(http.StatusNotFound, "you have handed in no such version: see coco submissions")
	}
	if !errors.Is(err, context.Canceled) {
		r.log.Error("could not read or write the programs that are handed in", "error", err)
	}
	return refuse(http.StatusServiceUnavailable, "the host cannot read its programs now: try again later")
}

// quotaText says which quota was reached, and what to do.
func quotaText(e *store.SubmissionQuotaError) string {
	switch e.Quota {
	case "day":
		return fmt.Sprintf("you have handed in %d versions within 24 hours, and that is the limit: try again later", e.Most)
	case "address":
		return fmt.Sprintf("%d versions have come from your address within 24 hours, and that is the limit: try again later", e.Most)
	case "waiting":
		return fmt.Sprintf("%d of your versions wait to be built already: wait for them", e.Most)
	case "bytes":
		return fmt.Sprintf("your versions would take more than %d MiB: remove old ones with coco submissions remove", e.Most>>20)
	default:
		return "this host has no room for more programs: ask its operator"
	}
}

func refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Text: fmt.Sprintf(format, args...)}
}

func orNone(games []string) string {
	if len(games) == 0 {
		return "no game"
	}
	return fmt.Sprintf("%q", games)
}

// short cuts a client's text for use in an error.
func short(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
