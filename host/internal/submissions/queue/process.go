package queue

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/build"
	"colosseum/host/internal/submissions/language"
)

// process builds and tries one version, and accepts it. Its error is a *refusal if that is
// the program's fault.
func (q *Queue) process(ctx context.Context, s store.Submission) error {
	folder, err := os.MkdirTemp(q.config.Folder, fmt.Sprintf("%d-", s.Number))
	if err != nil {
		return err
	}
	defer func() {
		if err := build.Remove(folder); err != nil {
			q.config.Log.Warn("could not remove the files of a build", "folder", folder, "error", err)
		}
	}()
	out := q.logOf(ctx, s.Number)
	defer out.flush()
	plan, program, err := q.build(ctx, s, filepath.Join(folder, "build"), out)
	if err != nil {
		return err
	}
	if err := q.config.Store.SetState(ctx, s.Number, q.config.Host, store.Trying, "", ""); err != nil {
		return err
	}
	if err := q.try(ctx, s, plan, program, filepath.Join(folder, "trial"), out); err != nil {
		return err
	}
	out.flush()
	if _, err = q.config.Store.Accept(ctx, s.Number, q.config.Host, plan.Run, program.Pack()); err == nil {
		q.config.Changed()
	}
	return err
}

// build builds a version in a new folder.
func (q *Queue) build(ctx context.Context, s store.Submission, folder string, out *output) (plan language.Plan, program archive.Tree, err error) {
	packed, err := q.config.Store.Source(ctx, s.Number)
	if err != nil {
		return plan, nil, err
	}
	source, err := archive.Open(packed, q.config.Archive)
	if err != nil {
		return plan, nil, fmt.Errorf("open the stored files: %w", err)
	}
	if plan, err = q.config.Languages.Recognize(source, q.config.Allowed); err != nil {
		return plan, nil, &refusal{err.Error()}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return plan, nil, err
	}
	q.prepare(ctx, plan.Language)
	begun := time.Now()
	defer func() { q.count(func(n *Stats) { n.Building += time.Since(begun) }) }()
	program, err = build.Build(ctx, plan, source, folder, q.config.Build, q.config.Level, out)
	if wrong, ok := errors.AsType[*build.ProgramError](err); ok {
		return plan, nil, &refusal{wrong.Error()}
	}
	return plan, program, err
}

// try lets a built version play the matches of its trial.
func (q *Queue) try(ctx context.Context, s store.Submission, plan language.Plan, built archive.Tree, folder string, out *output) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if err := built.Write(folder); err != nil {
		return err
	}
	command, err := q.config.Command(plan.Run, plan.Language, folder)
	if errors.Is(err, program.ErrUnsupported) {
		return err
	}
	if err != nil {
		return &refusal{err.Error()}
	}
	offer, release, err := catalog.Hold(q.config.Games.Find, s.Game, func() {})
	if err != nil {
		return err
	}
	defer release()
	trial := series.Trial{
		Setup: q.config.Setup, Offer: offer, Name: s.Player, Command: command, Seed: binary.LittleEndian.Uint64(s.Hash[:]),
		Played: func(match, matches int) { fmt.Fprintf(out, "trial: match %d of %d is finished\n", match, matches) },
	}
	bounded, cancel := context.WithTimeoutCause(ctx, series.TrialTime, errTrialTime)
	defer cancel()
	err = trial.Run(bounded)
	wrong, ok := errors.AsType[*series.TrialError](err)
	switch {
	case ok && wrong.Stderr != "":
		fmt.Fprintf(out, "trial: the program's stderr ends with\n%s\n", wrong.Stderr)
		fallthrough
	case ok:
		return &refusal{wrong.Error()}
	case err != nil && context.Cause(bounded) == errTrialTime:
		return &refusal{errTrialTime.Error()}
	}
	return err
}

var errTrialTime = fmt.Errorf("its trial has taken more than %v", series.TrialTime)

// clear removes what builds of an earlier process have left.
func (q *Queue) clear() error {
	for _, folder := range []string{q.config.Folder, q.config.Prepared} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(q.config.Folder)
	for _, e := range entries {
		err = errors.Join(err, build.Remove(filepath.Join(q.config.Folder, e.Name())))
	}
	return err
}

// prepareTimes is how many times the time of a build preparing a language can take.
const prepareTimes = 5

// prepare builds what all programs of a language need, unless that is there. Without it
// their builds take longer.
func (q *Queue) prepare(ctx context.Context, l *language.Language) {
	q.preparing.Lock()
	defer q.preparing.Unlock()
	if q.prepared[l.Name] {
		return
	}
	limits := q.config.Build // it is the host's own work, and more of it
	limits.Time, limits.CPU = prepareTimes*limits.Time, prepareTimes*limits.CPU
	err := build.Prepare(ctx, l, q.config.Prepared, limits, q.config.Level)
	if err != nil && ctx.Err() == nil {
		q.config.Log.Warn("could not prepare the builds of a language: they take longer", "language", l.Name, "error", err)
	}
	q.prepared[l.Name] = ctx.Err() == nil
}
