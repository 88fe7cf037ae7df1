package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"colosseum/internal/test/long"
)

// logIn logs bob of the tests of package site in.
func (b *browser) logIn() {
	b.t.Helper()
	b.click("#log-in")
	b.write("#token", "coco_bob")
	b.press("\ue007") // Enter
	b.await(loggedIn("bob"))
}

// looks checks how the page looks on a phone and in a wide window.
func (b *browser) looks(name string) {
	b.t.Helper()
	b.eval("window.resized = performance.now()", nil) // what moves from now on does so because of the size
	b.resize(375, 667)
	b.faults(name, false)
	for _, width := range []int{360, 1200} {
		b.resize(width, 900)
		b.fits(name)
		b.shoot(fmt.Sprint(name, "-", width))
	}
	b.scheme("dark")
	b.faults(name+", dark", true)
	b.scheme("light")
}

func TestAPersonHandsProgramsIn(t *testing.T) {
	long.Only(t, "it opens the pages of programs")
	c, _, _ := startContests(t)
	b := open(t, 1200, 900)

	// The page of the game: a file is chosen, and its build shown as it goes.
	b.visit(c.url + "/games/roshambo")
	b.await("document.querySelector('#hand-in').textContent.includes('Log in or register')")
	b.logIn()
	b.await("document.querySelector('#hand-in .drop') && document.querySelector('#hand-in').textContent.includes('Python 3.13.5, C 14.2')")
	b.eval("document.querySelector('#hand-in').scrollIntoView()", nil)
	b.looks("hand-in")
	file := filepath.Join(t.TempDir(), "player.js")
	if err := os.WriteFile(file, []byte("console.log('ROCK')"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.call("POST", "/element/"+b.find("#hand-in input")+"/value", map[string]string{"text": file}, nil)
	const status = "document.querySelector('#hand-in [role=status]').textContent"
	b.await(status + ".includes('Version 7 is accepted. It plays for you from now on.')")
	b.await("document.querySelector('#hand-in .output').textContent === 'node --check player.js\\n' && !document.querySelector('#hand-in input').disabled")
	b.looks("handed-in")

	// A file is dropped.
	drop := func(files string) {
		t.Helper()
		var done bool
		b.eval(`(() => {
			const dataTransfer = new DataTransfer();
			for (const [name, text] of `+files+`) dataTransfer.items.add(new File([text], name));
			return document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })) || true;
		})()`, &done)
	}
	drop(`[["a.js", "broken"]]`)
	b.await(status + ".includes('Version 8 is refused.')")
	b.await("document.querySelector('#hand-in [role=alert] .reason').textContent === 'Your program: it does not compile' && document.querySelector('#hand-in .output').textContent.includes('broken')")
	b.await("!document.querySelector('#hand-in input').disabled")
	for _, tt := range []struct{ files, want string }{
		{`[["a.js", "x"], ["b.js", "x"]]`, "One file, please"},
		{`[["a.js", "x".repeat(1 << 20) + "x"]]`, "a.js is too long: at most 1 MiB."},
		{`[["a.js", "same"]]`, "this is version 6 already"},
	} {
		drop(tt.files)
		b.await("[...document.querySelectorAll('#hand-in .fault')].some((e) => e.textContent.includes(" + quote(tt.want) + "))")
	}

	// The editor.
	b.visit(c.url + "/games/roshambo/bot")
	b.await(written + ".includes('function play') && !document.querySelector('#hand-in').hidden")
	b.newBot("snake", "python")
	b.setBot("print('ROCK')")
	b.click("#hand-in")
	b.await("document.querySelector('#handed [role=status]').textContent.includes('Version 9 is accepted')")
	b.eval("localStorage.clear()", nil)
	b.looks("editor")
}

func TestAPlayerLooksAfterItsPrograms(t *testing.T) {
	long.Only(t, "it opens the pages of programs")
	c, _, _ := startContests(t)
	b := open(t, 1200, 900)
	b.visit(c.url + "/programs")
	b.await("!document.querySelector('#log-in-first').hidden && document.querySelector('#work').textContent.includes('2 of 3')")
	b.logIn()
	b.await("document.querySelectorAll('.program').length === 5") // without the removed one
	program := func(version string) string {
		return "[...document.querySelectorAll('.program')].find((e) => e.querySelector('h3').textContent === 'v" + version + "')"
	}
	press := func(version, key string) {
		t.Helper()
		b.await(program(version) + ".querySelector('[data-key=" + key + "]')")
		b.eval(program(version)+".querySelector('[data-key="+key+"]').click()", nil)
		b.await("document.querySelector('dialog.question')")
	}
	b.await(program("6") + ".textContent.includes('○ waits, 3 in the queue') && " + program("6") + ".textContent.includes('You need not hand the program in again')")
	b.await(program("6") + ".querySelector('.output').textContent.includes('cc -O2') && " + program("3") + ".textContent.includes('‖ rests')")
	b.looks("programs")

	// Enter answers no, since that has the focus.
	press("1", "remove")
	b.press("\ue007")
	b.await("!document.querySelector('dialog')")
	press("1", "play")
	b.click("dialog .main")
	b.await(program("1") + ".textContent.includes('✓ plays') && " + program("3") + ".textContent.includes('accepted, does not play')")
	press("1", "pause")
	b.click("dialog .main")
	b.await(program("1") + ".textContent.includes('accepted, does not play')")
	press("1", "remove")
	b.click("dialog .main")
	b.await("document.querySelectorAll('.program').length === 4")

	// What it wrote in a match, with hostile texts.
	b.eval(program("4")+".querySelector('details:last-child').open = true", nil)
	b.await(program("4") + ".querySelector('.journals summary')")
	b.eval(program("4")+".querySelector('.journals details').open = true", nil)
	b.await(program("4") + ".querySelector('.journals .output').textContent.startsWith('Traceback: <script>')")
	b.looks("journals")
	if got := b.text("document.querySelectorAll('script:not([src])').length"); got != "0" {
		t.Errorf("got %s elements from hostile texts, want none", got)
	}
}
