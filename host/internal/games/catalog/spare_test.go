//go:build unix

package catalog

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/internal/test/filetree"
	"colosseum/sdk/driver"
)

func TestSpareProcessIsAnotherOneOfTheSameVersion(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "kamisado")
	if out, err := exec.Command("go", "build", "-o", program, "../../../../plugins/kamisado").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"kamisado/kamisado*": string(text)}
	maps.Copy(files, map[string]string{"roshambo/roshambo*": roshambo(t)})
	c := newLoaded(t, configOf(filetree.New(t, files)))
	offer, err := c.Find("kamisado")
	if err != nil {
		t.Fatal(err)
	}
	if o := c.offer(t); o.Judged || !offer.Judged {
		t.Errorf("roshambo is judged: %v, kamisado: %v, want only the latter", o.Judged, offer.Judged)
	}
	for _, tt := range []struct{ plugin, version, want string }{
		{"kamisado", offer.Version, ""},
		{"kamisado", "old", "version old of kamisado"},
		{"roshambo", c.offer(t).Version, "cannot judge positions"},
		{"chess", "v1", "does not have the game chess"},
	} {
		err := c.Judges(tt.plugin, tt.version)
		if got := err != nil; got != (tt.want != "") || got && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, version %s: got %v, want %q", tt.plugin, tt.version, err, tt.want)
		}
	}
	spare, err := c.Spare(t.Context(), "kamisado", offer.Version)
	if err != nil {
		t.Fatal(err)
	}
	pid := spare.Pid()
	if pid == pidOf(offer) {
		t.Error("it is the process of the running matches, want another one")
	}
	inbox := engine.NewInbox(100, 1<<20)
	start := &driver.Setup{Names: []string{"ann", "bob"}, Rerun: true, Judge: time.Millisecond, Settings: driver.Settings{Timeout: 10, Params: map[string]string{"pace": "0", "bot": "strong"}}}
	if _, err := spare.Open(start, inbox); err != nil {
		t.Fatal(err)
	}
	if f, err := inbox.Next(context.Background()); err != nil || f.Judgement == nil || f.Judgement.Best == "" {
		t.Errorf("got %v, %v, want a judgement of the first position", f, err)
	}
	spare.Close()
	if !isGone(pid) {
		t.Errorf("the process %d is left, want none", pid)
	}
	select {
	case <-offer.Engine.(*process).Done():
		t.Error("the process of the running matches has ended, too")
	default:
	}
}
