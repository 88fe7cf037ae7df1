package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/submissions/language"
)

// submissions checks whether programs that players hand in can be built and played here.
func submissions(ctx context.Context, c *config.Config, support sandbox.Support) []Finding {
	const what = "programs of players"
	if !c.RunsPrograms() {
		return nil
	}
	var folders []fs.FS
	if c.Submissions.Folder != "" {
		folders = append(folders, os.DirFS(c.Submissions.Folder))
	}
	set, err := language.Load(folders...)
	if err != nil {
		return []Finding{fail(what, err, "correct the files in "+c.Submissions.Folder+", or remove submissions.folder")}
	}
	var all []Finding
	installed := 0
	for _, l := range set.All() {
		if len(c.Submissions.Languages) > 0 && !slices.Contains(c.Submissions.Languages, l.Name) {
			continue
		}
		version, err := l.Installed(ctx)
		switch {
		case err == nil:
			installed++
			all = append(all, ok(what, "%s: %s", l.Title, version))
		case len(c.Submissions.Languages) > 0:
			all = append(all, fail(what, err, l.Install+", or leave the language out of submissions.languages"))
		default:
			all = append(all, warn(what, err.Error(), l.Install+", or programs in this language are refused"))
		}
	}
	for _, name := range c.Submissions.Languages {
		if _, err := set.Find(name); err != nil {
			all = append(all, fail(what, err, "correct submissions.languages"))
		}
	}
	if installed == 0 {
		all = append(all, fail(what, errors.New("no language is installed: nothing can be handed in"), "install one of them"))
	}
	if !support.Group {
		all = append(all, warn(what, "there are no control groups: programs are stopped by signals while they wait, and their CPU time is measured less exactly", "give the host a control group of its own: Delegate=yes in systemd"))
	}
	return append(all, ok(what, "%s for builds and matches", cores(c.Submissions.CoresHere())))
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}
