//go:build unix

package browser

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// TestTheThreeLinesOfThePageBringABotIntoAMatch copies the lines of the page into a shell.
func TestTheThreeLinesOfThePageBringABotIntoAMatch(t *testing.T) {
	long.Only(t, "it runs the lines of a page in a shell")
	needBrowser(t)
	for _, tool := range []string{"curl", "sha256sum", "python3"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS != "linux" {
			t.Skipf("the lines for Linux use %s", tool)
		}
	}
	downloads := t.TempDir()
	if err := programs.Build("colosseum/coco", filepath.Join(downloads, "coco-linux-"+runtime.GOARCH), false); err != nil {
		t.Fatal(err)
	}
	plugins := folder(t, []string{"roshambo"}, nil)
	h := serve(t, plugins, "downloads: "+downloads+"\n", t.TempDir())

	b := open(t, 375, 800)
	b.visit(h.url + "/")
	b.find("#bring .steps")
	b.eval(`(() => { const e = document.getElementById("bring-system"); e.value = "linux-`+runtime.GOARCH+`"; e.dispatchEvent(new Event("change")); })()`, nil)
	b.await(`document.querySelector("#bring .steps code").textContent.includes("linux-` + runtime.GOARCH + `")`)
	if wide := b.text(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the page scrolls sideways at 375 pixels, want only its blocks of lines to scroll")
	}
	script := b.text(`[...document.querySelectorAll("#bring .lines code")].map((e) => e.textContent).join("\n")`)
	if n := strings.Count(script, "\n"); n != 4 {
		b.fatal("got lines %q, want five", script)
	}
	shell := exec.Command("sh", "-e", "-c", strings.Replace(script, "-b 1", "-b 1 -a rounds=3 -a pace=0", 1))
	shell.Dir = t.TempDir()
	out, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "coco: OK") || !strings.Contains(string(out), "> Game ended") || strings.Contains(string(out), "forfeit") {
		t.Errorf("got %v and\n%s\nof the lines\n%s\nwant a match without a forfeit", err, out, script)
	}

	// A host without downloads shows how to build coco.
	empty := serve(t, plugins, "", t.TempDir())
	b.visit(empty.url + "/games/roshambo")
	b.await(`document.querySelector("#bring .steps code").textContent.includes("go build -o bin/ ./coco") && document.querySelector("#bring .steps a.main").pathname === "/games/roshambo/bot"`)
}
