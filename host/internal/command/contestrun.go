package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/filelock"
)

func contestRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "play a contest between programs on this machine, or go on with it",
		ArgsUsage: "FILE",
		Description: "The programs are confined, unless the file says isolation: off. After Ctrl-C or a crash, the same\n" +
			"command goes on where the contest was. Relative paths in the file are those of its folder.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the contest as JSON at the end"},
			&cli.StringFlag{Name: "csv", Usage: "write the standings to `FILE` at the end"},
		},
		Action: runContest,
	}
}

func runContest(ctx context.Context, cmd *cli.Command) error {
	path, err := contestArgument(cmd)
	if err != nil {
		return err
	}
	text, spec, err := readSpec(path)
	switch {
	case err != nil:
		return err
	case !spec.Local():
		return fmt.Errorf("%s has no program (command: [PROGRAM, ARGUMENT...]): a running host plays contests of registered players, see host contest create and start", path)
	}
	c, err := openContests(ctx, cmd, true)
	if err != nil {
		return err
	}
	defer c.close()
	unlock, err := lockContest(c.config.Data, spec.Name)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := c.earlier(ctx, spec)
	if err != nil {
		return err
	}
	if before == nil || before.Phase != contest.Ended {
		if err := c.play(ctx, cmd, path, text, spec, before); err != nil {
			return err
		}
	}
	return c.printEnd(cmd, spec.Name)
}

// lockContest returns an error if another process plays a contest.
func lockContest(data, name string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(data, "contest-"+name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = filelock.Try(f); err != nil {
			_ = f.Close()
		}
	}
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return nil, fmt.Errorf("another host contest run plays the contest %s: wait for its end, or stop it with Ctrl-C", name)
	case err != nil:
		return nil, fmt.Errorf("lock the contest %s: %w", name, err)
	}
	return func() { _ = filelock.Release(f) }, nil
}

// earlier returns the contest with the name of a description, or nil if there is none.
// It returns an error if that one was created from another description.
func (c *contests) earlier(ctx context.Context, spec *contest.Spec) (*contest.State, error) {
	s, err := c.Load(ctx, spec.Name)
	if unknown := (*contest.UnknownError)(nil); errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if keys := changed(s.Spec, spec); len(keys) > 0 {
		remove := "host contest remove " + spec.Name
		if s.Phase == contest.Running || s.Phase == contest.Paused {
			remove = "host contest end " + spec.Name + " and " + remove
		}
		return nil, fmt.Errorf("the contest %s is in %s already, with another description (%s): change the name in the file, or remove that contest with %s",
			spec.Name, c.at, strings.Join(keys, ", "), remove)
	}
	return s, nil
}

// changed returns the keys in which two descriptions differ, except those that only say
// how the matches are played on this machine.
func changed(a, b *contest.Spec) (keys []string) {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		key := x.Type().Field(i).Tag.Get("yaml")
		if slices.Contains([]string{"parallel", "programs"}, key) {
			continue
		}
		if from, to := x.Field(i).Interface(), y.Field(i).Interface(); !same(from, to) {
			keys = append(keys, key)
		}
	}
	return keys
}

func same(a, b any) bool {
	if t, ok := a.(time.Time); ok {
		return t.Equal(b.(time.Time))
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.Map && v.Len() == 0 {
		return reflect.ValueOf(b).Len() == 0
	}
	return reflect.DeepEqual(a, b)
}

// play creates a contest, unless it exists, and plays it to its end.
func (c *contests) play(ctx context.Context, cmd *cli.Command, path string, text []byte, spec *contest.Spec, s *contest.State) error {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	games, offer, err := c.openGame(ctx, cmd, folder, spec)
	if err != nil {
		return err
	}
	defer games.Close()
	entries := spec.Entries.List
	if s != nil {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e contest.Entry) bool {
			n, ok := s.Number(e.Name)
			return ok && s.Entries[n].Withdrawn
		})
	}
	isolation := contestIsolation(cmd, c.config, folder, spec)
	parallel := spec.Parallel
	if parallel == 0 {
		parallel = runtime.GOMAXPROCS(0)
		if offer.Ponder {
			parallel = max(1, parallel/spec.Players)
		}
	}
	setup := setupOf(c.config, cmp.Or(spec.Programs.Start, defaultStart), spec.Programs.Wall)
	setup.Ponder = offer.Ponder
	runner, err := series.NewRunner(series.RunnerConfig{
		Setup: setup, Games: named{games, spec.Game, offer.Name}, Entries: entries, Isolation: isolation, Parallel: parallel, Finish: c.file.Finish,
		Warn: c.warnings(cmd, spec.Name),
	})
	if err != nil {
		if errors.Is(err, program.ErrUnsupported) {
			err = fmt.Errorf("%w; for programs that you trust with all your rights, write programs: {isolation: off} in %s", err, path)
		}
		return err
	}
	if s == nil {
		if _, err := c.Create(ctx, text); err != nil {
			return err
		}
		if s, err = c.Load(ctx, spec.Name); err != nil {
			return err
		}
		report("the contest %s is created in %s", spec.Name, c.at)
	} else if done, _ := s.Count(); s.Phase != contest.Open {
		report("the contest %s goes on after %s", spec.Name, plural(done, "match", "matches"))
	}
	switch {
	case s.Phase == contest.Paused:
		report("it is paused: host contest resume %s lets it go on", spec.Name)
	case s.Phase == contest.Open && !spec.Start.IsZero() && time.Until(spec.Start) > 0:
		report("it starts at %s", spec.Start.Local().Format(time.DateTime))
	case s.Phase == contest.Open:
		if err := c.Start(ctx, spec.Name); err != nil {
			return err
		}
	}
	shown, begin := contestProgress{progress: newProgress()}, time.Now()
	err = director.Run(ctx, director.Contest{
		Store: c.file, Runner: runner, Name: spec.Name, Parallel: runner.Limit(), Wake: c.changes(ctx), Changed: shown.show,
		Log: slog.New(clearing{toolLog(cmd).Handler(), shown.progress.clear}),
	})
	shown.progress.clear()
	if stats := runner.Stats(); stats.Matches > 0 {
		report("%s in %.1f s, %d at once: the programs took %.1f s for %s", plural(stats.Matches, "match", "matches"),
			time.Since(begin).Seconds(), parallel, stats.Thinking.Seconds(), plural(stats.Answers, "answer", "answers"))
	}
	if faults := runner.Faults(); faults != "" {
		report("%s", strings.TrimRight(faults, "\n"))
	}
	if ctx.Err() != nil {
		if s, err := c.Load(context.WithoutCancel(ctx), spec.Name); err == nil { // matches can have ended since
			shown.done, _ = s.Count()
		}
		return fmt.Errorf("interrupted after %d of %d matches: the same command goes on with the contest", shown.done, shown.all)
	}
	return err
}

// named is a catalog with one game, under the name of a contest's description: that can
// be a folder.
type named struct {
	games    *catalog.Catalog
	is, name string
}

func (n named) Find(game string) (*catalog.Offer, error) {
	if game == n.is {
		game = n.name
	}
	return n.games.Find(game)
}

// openGame starts the game and lets it check the settings of all matches.
func (c *contests) openGame(ctx context.Context, cmd *cli.Command, folder string, spec *contest.Spec) (*catalog.Catalog, *catalog.Offer, error) {
	game := spec.Game
	if strings.ContainsRune(game, filepath.Separator) && !filepath.IsAbs(game) {
		game = filepath.Join(folder, game)
	}
	c.config.UseFolders()
	games, offer, err := catalog.OpenOne(ctx, c.config, game, cache(c.config), toolLog(cmd))
	if err != nil {
		return nil, nil, err
	}
	bots := spec.Bots()
	lineups := [][]contest.Entry{make([]contest.Entry, spec.Players)}
	for _, e := range bots {
		lineups = append(lineups, append(make([]contest.Entry, spec.Players-1), e))
	}
	if most := min(len(bots), spec.Players); most > 1 {
		lineups = append(lineups, append(make([]contest.Entry, spec.Players-most), bots[:most]...))
	}
	for _, e := range spec.Bosses() {
		lineups = append(lineups, append(make([]contest.Entry, spec.Players-1), e))
	}
	for _, lineup := range lineups {
		request, _ := series.RequestOf(spec, offer, lineup)
		if _, err := offer.Prepare(ctx, request); err != nil {
			games.Close()
			return nil, nil, fmt.Errorf("the game %s: %w", spec.Game, err)
		}
	}
	return games, offer, nil
}

// warnings returns a function that keeps warnings about the programs of a contest, each once.
func (c *contests) warnings(cmd *cli.Command, name string) func(ctx context.Context, entry string, w contest.Warning) {
	var known sync.Map
	return func(ctx context.Context, entry string, w contest.Warning) {
		if _, done := known.LoadOrStore(entry+"\n"+string(w), true); done {
			return
		}
		if err := c.Warn(ctx, name, entry, w); err != nil {
			toolLog(cmd).Warn("a warning about a program is not kept", "entry", entry, "warning", w, "error", err)
		}
	}
}

// contestIsolation returns how a contest confines programs.
func contestIsolation(cmd *cli.Command, c *config.Config, folder string, spec *contest.Spec) program.Isolation {
	p := spec.Programs
	i := program.Isolation{
		Level: sandbox.Require, Memory: 512 << 20, CPU: 10 * time.Minute, Folder: folder, Libraries: slices.Concat(c.Plugins.Libraries, p.Libraries), Private: private(cmd, c),
	}
	if p.Isolation != "" {
		i.Level = sandbox.Level(p.Isolation)
	}
	if p.MemoryMB != 0 {
		i.Memory = int64(p.MemoryMB) << 20
	}
	if p.CPU != 0 {
		i.CPU = p.CPU
	}
	for _, read := range p.Read {
		if !filepath.IsAbs(read) {
			read = filepath.Join(folder, read)
		}
		i.Read = append(i.Read, read)
	}
	warnMissing(i.Level)
	return i
}

// changes returns a channel that gets a value when any process has changed the file.
func (c *contests) changes(ctx context.Context) <-chan struct{} {
	wake := make(chan struct{}, 1) // full: Run is behind, and will read all changes
	go func() {                    // ends with ctx
		ticker := time.NewTicker(changeInterval)
		defer ticker.Stop()
		var last int64
		for {
			if now, err := c.file.Version(ctx); err != nil || now != last {
				last = now
				select {
				case wake <- struct{}{}:
				default:
				}
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return wake
}

// changeInterval is the time between looks for changes of other processes.
const changeInterval = 300 * time.Millisecond

// contestProgress shows the progress of a contest.
type contestProgress struct {
	progress  *progress
	done, all int
	leader    string
	looked    time.Time // when the leader was computed
	took      time.Duration
}

func (p *contestProgress) show(s *contest.State) {
	done, all := s.Count()
	if v := s.Summary(); v.Round > 0 && v.Rounds > v.Round {
		all = all * v.Rounds / v.Round // rounds have about as many matches each
	}
	p.done, p.all = done, all
	switch s.Phase {
	case contest.Running:
		p.progress.show(done, all, func() string { return p.lead(s) })
	case contest.Paused:
		p.progress.show(done, all, func() string { return "paused: host contest resume " + s.Spec.Name + " lets it go on" })
	}
}

// lead describes the leader. Computing it takes at most about a twentieth of the time.
func (p *contestProgress) lead(s *contest.State) string {
	if now := time.Now(); now.Sub(p.looked) > 20*p.took {
		rows, err := s.Standings()
		if err != nil || len(rows) == 0 || rows[0].Played == 0 {
			return ""
		}
		r := rows[0]
		p.leader = fmt.Sprintf("%s leads with %s points, rating %.0f (%.0f – %.0f)", r.Name, decimal(r.Points), r.Rating, r.Low, r.High)
		p.looked, p.took = time.Now(), time.Since(now)
	}
	return p.leader
}

// clearing is a log on a terminal with a line that is replaced.
type clearing struct {
	slog.Handler
	clear func()
}

func (c clearing) Handle(ctx context.Context, r slog.Record) error {
	c.clear()
	return c.Handler.Handle(ctx, r)
}

// printEnd prints a contest that has ended.
func (c *contests) printEnd(cmd *cli.Command, name string) error {
	v, err := c.View(context.Background(), name)
	if err != nil {
		return err
	}
	if path := cmd.String("csv"); path != "" {
		if err := os.WriteFile(path, v.CSV(), 0o644); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return printJSON(cmd.Root().Writer, v)
	}
	return printContest(cmd.Root().Writer, v)
}
