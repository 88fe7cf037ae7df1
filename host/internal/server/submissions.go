package server

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/server/metrics"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/build"
	"colosseum/host/internal/submissions/hosted"
	"colosseum/host/internal/submissions/language"
	"colosseum/host/internal/submissions/queue"
	"colosseum/host/internal/submissions/registry"
)

// programs are what this host has of the programs that players hand in. A nil *programs
// means that it takes none.
type programs struct {
	config   *config.Config
	log      *slog.Logger
	store    *store.Submissions
	registry *registry.Registry
	hosted   *hosted.Programs
	queue    *queue.Queue // nil: other hosts build and play
	rate     rate
	counted  atomic.Pointer[map[store.SubmissionState]int] // versions by state; nil: not yet
}

// openPrograms returns the programs that players hand in, or nil if the configuration says
// that this host takes none.
func (s *Server) openPrograms(ctx context.Context) (*programs, error) {
	c := s.config
	if !c.Submissions.On() {
		return nil, nil
	}
	languages, err := languagesOf(c)
	if err != nil {
		return nil, fmt.Errorf("submissions: %w", err)
	}
	p := &programs{config: c, log: s.log, store: s.records.Submissions()}
	work, err := filepath.Abs(filepath.Join(c.Data, "submissions"))
	if err != nil {
		return nil, err
	}
	limits := archive.Limits{Files: c.Submissions.Files, Bytes: int64(c.Submissions.UnpackedMB) << 20, Ratio: maxRatio, Path: maxPath}
	built := archive.Limits{Files: maxBuildFiles, Bytes: int64(c.Submissions.BuildDiskMB) << 20}
	isolation := programIsolation(c)
	command := func(run []string, l *language.Language, folder string) (program.Command, error) {
		return build.Command(run, l, folder, isolation)
	}
	cores := 0
	if c.RunsPrograms() {
		cores = c.Submissions.CoresHere()
	}
	h := hosted.Config{
		Store: p.store, Lobby: s.lobby, Folder: filepath.Join(work, "installed"), Archive: built, Limits: programLimits(c), Cores: cores,
		Concurrency: c.Submissions.Concurrency, Hourly: c.Submissions.Hourly, Rest: c.Submissions.Rest, Log: s.log,
		Command: func(v store.Submission, folder string) (program.Command, error) {
			l, err := languages.Find(v.Language)
			if err != nil {
				return program.Command{}, err
			}
			return command(v.Run, l, folder)
		},
	}
	if s.peers != nil {
		h.Slots = s.peers.ProgramCores
	}
	if cores > 0 {
		if err := os.MkdirAll(work, 0o711); err != nil { // programs have their folder below it
			return nil, err
		}
	}
	if p.hosted, err = hosted.New(h); err != nil {
		return nil, err
	}
	changed := func() { p.hosted.Wake() }
	if cores > 0 {
		s.lobby.SetPrograms(p.hosted)
		p.queue = queue.New(queue.Config{
			Host: c.Cluster.Name, Store: p.store, Games: s.games, Languages: languages, Allowed: c.Submissions.Languages,
			Folder: filepath.Join(work, "builds"), Prepared: filepath.Join(work, "prepared"), Archive: limits, Level: sandbox.Require,
			Build: build.Limits{
				Time: c.Submissions.BuildTime, CPU: c.Submissions.BuildTime * time.Duration(cores), Memory: int64(c.Submissions.BuildMemoryMB) << 20,
				Disk: int64(c.Submissions.BuildDiskMB) << 20, File: int64(c.Submissions.BuildDiskMB) << 20, Files: maxBuildFiles, Processes: maxProcesses, Output: maxOutput,
				Private: privateFiles(c),
			},
			Command: command,
			Setup: series.Setup{
				Stall: c.Plugins.Stall, StartGrace: c.Submissions.Start, Cores: p.hosted.Shared(), Limits: programLimits(c), Log: slog.New(slog.DiscardHandler),
			},
			Parallel: cores, Changed: changed, Log: s.log,
		})
		changed = func() { p.hosted.Wake(); p.queue.Wake() }
	}
	p.registry = registry.New(p.store, registry.Settings{
		Takes: c.Submissions.Takes, Games: s.gameNames, Languages: languages, Allowed: c.Submissions.Languages, Archive: limits,
		Upload: int64(c.Submissions.ArchiveMB) << 20, Changed: changed, Work: p.work,
		Quotas: store.SubmissionQuotas{
			PerDay: c.Submissions.PerDay, PerDayAddress: c.Submissions.PerDayAddress, Waiting: c.Submissions.Waiting,
			PlayerBytes: int64(c.Submissions.PlayerMB) << 20, AllBytes: int64(c.Submissions.AllGB) << 30,
		},
		Ready: p.ready, Installed: func() []registry.Language { return p.installed(languages) },
	}, s.log)
	return p, nil
}

// Bounds of what players hand in, and of builds.
const (
	maxRatio      = 200 // of unpacked bytes to packed ones
	maxPath       = 200 // bytes
	maxBuildFiles = 20_000
	maxProcesses  = 64
	maxOutput     = 1 << 20 // bytes
)

// languagesOf returns the languages of the configuration.
func languagesOf(c *config.Config) (*language.Set, error) {
	var folders []fs.FS
	if c.Submissions.Folder != "" {
		folders = append(folders, os.DirFS(c.Submissions.Folder))
	}
	set, err := language.Load(folders...)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Submissions.Languages {
		if _, err := set.Find(name); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// programIsolation returns what a program that was handed in can use.
func programIsolation(c *config.Config) program.Isolation {
	return program.Isolation{
		Level: sandbox.Require, Memory: int64(c.Submissions.MemoryMB) << 20, CPU: maxProgramCPU, Libraries: c.Plugins.Libraries, Private: privateFiles(c),
	}
}

// maxProgramCPU is the CPU time of a program in one match. It is only for programs that their
// match does not stop: those that compute while it ends.
const maxProgramCPU = time.Hour

// privateFiles returns the files and folders of the host that no program can read.
func privateFiles(c *config.Config) []string {
	paths := []string{c.Data} // but a program's own folder below it
	for _, path := range []string{c.VerificationPasswordFile, c.TLS.Key, c.Cluster.SecretFile, c.Cluster.CredentialsFile, c.Players.OIDC.ClientSecretFile} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	for _, w := range c.Webhooks {
		paths = append(paths, w.SecretFile)
	}
	return paths
}

func programLimits(c *config.Config) program.Limits {
	return program.Limits{Line: c.Clients.LineBytes, Backlog: c.Clients.BacklogKB << 10}
}

// gameNames returns the names of all games of this host.
func (s *Server) gameNames() (names []string) {
	for _, o := range s.games.List() {
		names = append(names, o.Name)
	}
	return names
}

// ready returns why programs in a language cannot be built here. Other hosts are not asked.
func (p *programs) ready(ctx context.Context, l *language.Language) error {
	if p.queue == nil {
		return nil
	}
	_, err := l.Installed(ctx)
	return err
}

// installed returns the languages that can be built. Those of other hosts have no version.
func (p *programs) installed(set *language.Set) []registry.Language {
	list := []registry.Language{}
	names := p.config.Submissions.Languages
	for _, l := range set.All() {
		if len(names) > 0 && !slices.Contains(names, l.Name) {
			continue
		}
		version := ""
		if p.queue != nil {
			var err error
			if version, err = l.Installed(context.Background()); err != nil {
				continue
			}
		}
		list = append(list, registry.Language{Name: l.Name, Title: l.Title, Version: version})
	}
	return list
}

// work fills in what the programs of this host do now.
func (p *programs) work(w *registry.Work) {
	n := p.hosted.Stats()
	w.Busy, w.Cores, w.Matches = n.Playing, p.hosted.Cores(), p.rate.lastHour(n.Matches, time.Now())
}

// run follows the store, and builds and plays programs, until ctx ends.
func (p *programs) run(ctx context.Context) {
	if p == nil {
		return
	}
	var all sync.WaitGroup
	all.Go(func() { p.hosted.Run(ctx) })
	if p.queue != nil {
		all.Go(func() { p.queue.Run(ctx) })
	} else if _, err := p.store.Release(ctx, p.config.Cluster.Name); err != nil { // it has built with other settings
		p.log.Error("could not put back the versions that this host was building", "error", err)
	}
	all.Go(func() { p.countVersions(ctx) })
	all.Go(func() { p.rate.run(ctx, func() uint64 { return p.hosted.Stats().Matches }) })
	all.Wait()
}

// countVersions counts the versions once a minute until ctx ends, so that a request for
// metrics does not wait for the store.
func (p *programs) countVersions(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		if states, _, err := p.store.Count(ctx); err == nil {
			p.counted.Store(&states)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// metrics returns the programs for metrics; nil: this host takes none.
func (p *programs) metrics() metrics.Programs {
	if p == nil {
		return nil
	}
	return p
}

// Count implements metrics.Programs.
func (p *programs) Count() map[store.SubmissionState]int {
	if states := p.counted.Load(); states != nil {
		return *states
	}
	return nil
}

// Builds implements metrics.Programs.
func (p *programs) Builds() queue.Stats {
	if p.queue == nil {
		return queue.Stats{}
	}
	return p.queue.Stats()
}

// Hosted implements metrics.Programs.
func (p *programs) Hosted() hosted.Stats { return p.hosted.Stats() }

// Cores implements metrics.Programs.
func (p *programs) Cores() int { return p.hosted.Cores() }

// reclaim has versions built again that hosts of the cluster were building that are gone,
// until ctx ends.
func (p *programs) reclaim(ctx context.Context, hosts queue.Hosts) {
	if p != nil {
		queue.Reclaim(ctx, p.store, hosts, p.log)
	}
}

// programCores returns how many cores this host has for programs that were handed in.
func (s *Server) programCores() int {
	if !s.config.RunsPrograms() {
		return 0
	}
	return s.config.Submissions.CoresHere()
}
