package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"colosseum/internal/gamedir"
)

// Module returns the folder of the module whose games can be compiled together with this
// one; empty: there are none.
func (s Source) Module() string { return s.module }

// Together compiles games of one module by one run of the go command, which takes half the
// time of a run for each. After that Built finds each. Waiting returns the games; it is called
// after what most games share was compiled.
//
// There is no error: if one of the games has one, the go command could build none, and its
// output does not say whose error it is. A game that Built does not find must be compiled
// alone.
func (s Source) Together(ctx context.Context, cache string, waiting func() []Source) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		return
	}
	s.Dir, s.caches = s.module, goCaches(cache)
	if s.buildSDK(ctx, compiler, cache) != nil {
		return
	}
	var games []together
	for _, game := range waiting() {
		unlock, err := game.tryLock(cache)
		if err != nil {
			continue // another process compiles it
		}
		defer unlock()
		if game.resolve(ctx) {
			games = append(games, together{Source: game})
		}
	}
	if len(games) < 2 {
		return
	}
	var dirs []string
	for _, game := range games {
		dirs = append(dirs, game.Dir)
	}
	list, err := s.packages(ctx, compiler, dirs...)
	if err != nil || !describeAll(ctx, cache, s.settings(ctx, compiler), list, games) {
		return
	}
	if s.build(ctx, compiler, cache+string(os.PathSeparator), dirs...) != nil {
		return
	}
	for _, game := range games {
		limit, cancel := context.WithTimeout(ctx, lookTimeout)
		_, _ = game.keep(limit, compiler, cache, game.version, game.description)
		cancel()
	}
}

// together is a game that is compiled together with others. Its folder has no links.
type together struct {
	Source
	version     string
	description *built
}

// resolve makes the folder of a game one without links, and reports whether the go command
// names the program after the game.
func (s *Source) resolve(ctx context.Context) bool {
	limit, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	dir := s.Dir
	real, err := gamedir.Visit(limit, s.visits, func() string {
		real, _ := filepath.EvalSymlinks(dir)
		return real
	})
	s.Dir = real
	return err == nil && filepath.Base(real) == s.Name
}

// describeAll sets the versions and descriptions of the games, and reports whether all have
// them. List is that of their packages. If a game changes during the build, its description is
// not kept.
func describeAll(ctx context.Context, cache string, env map[string]string, list []imported, games []together) bool {
	limit, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for i, game := range games {
		packages := packagesOf(list, game.Dir)
		var err error
		games[i].description = game.describe(limit, cache, env, packages)
		games[i].version, err = game.Source.version(limit, func() ([]imported, error) { return packages, nil })
		if err != nil || games[i].description == nil {
			return false
		}
	}
	return true
}
