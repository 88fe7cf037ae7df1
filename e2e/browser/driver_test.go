package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// driver is a running chromedriver: WebDriver over HTTP, which follows clicks
// into frames of other processes. It is nil when there is no browser.
var driver *chromedriver

type chromedriver struct {
	cmd *exec.Cmd
	url string
	bin string // of the browser
}

var driverPort = regexp.MustCompile(`started successfully on port (\d+)`)

// errNoBrowser is why the tests are skipped; whatever else is wrong fails them.
var errNoBrowser = errors.New("there is no chromium with chromedriver")

// startDriver starts chromedriver at a port that it finds. It takes one for
// free that is only free for one of the two kinds of addresses, and gives up;
// after tests with thousands of connections that happens often.
func startDriver() (*chromedriver, error) {
	bin := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			bin = path
			break
		}
	}
	path, err := exec.LookPath("chromedriver")
	if bin == "" || err != nil {
		return nil, errNoBrowser
	}
	for range 50 {
		d := &chromedriver{bin: bin}
		if err = d.start(path); err == nil {
			return d, nil
		}
	}
	return nil, err
}

// start starts chromedriver and waits until it listens.
func (d *chromedriver) start(path string) error {
	d.cmd = exec.Command(path, "--port=0")
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the browsers are in its group
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.cmd.Start(); err != nil {
		return err
	}
	said := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := driverPort.FindStringSubmatch(lines.Text()); m != nil {
			d.url = "http://127.0.0.1:" + m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with chromedriver
			return nil
		}
		said += "\n" + lines.Text()
	}
	d.stop()
	return fmt.Errorf("chromedriver did not start:%s", said)
}

func (d *chromedriver) stop() {
	_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
	_ = d.cmd.Wait()
}

// browser is one window.
type browser struct {
	t   testing.TB
	url string // of the session
}

// idle are the windows that tests have left, each a browser with a profile of
// its own. Starting one costs more than most tests; what a page keeps belongs to
// the address of its host, and each host has another one.
var idle []string

// open opens a window of a width and height in pixels.
func open(t testing.TB, width, height int) *browser {
	t.Helper()
	needBrowser(t)
	b := &browser{t: t}
	if n := len(idle); n > 0 {
		b.url, idle = idle[n-1], idle[:n-1]
	} else {
		b.launch()
	}
	t.Cleanup(func() {
		if t.Failed() || b.try("POST", "/url", map[string]string{"url": "about:blank"}, nil) != nil {
			_ = b.try("DELETE", "", nil, nil)
			return
		}
		b.console()
		idle = append(idle, b.url)
	})
	b.cdp("Network.clearBrowserCache", map[string]any{})
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	return b
}

// launch starts a browser.
func (b *browser) launch() {
	b.t.Helper()
	b.url = driver.url + "/session"
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
	}
	var session struct{ SessionID string }
	for tries := 1; ; tries++ { // chromedriver gives a browser a minute to start
		err := b.try("POST", "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
			"browserName": "chrome", "unhandledPromptBehavior": "accept",
			"goog:chromeOptions": map[string]any{"binary": driver.bin, "args": args}, "goog:loggingPrefs": map[string]string{"browser": "ALL"},
		}}}, &session)
		if err == nil {
			break
		}
		if tries == 10 || overdue() || !strings.Contains(err.Error(), "session not created") {
			b.t.Fatal(err)
		}
	}
	b.url += "/" + session.SessionID
	const day = 24 * 60 * 60 * 1000 // milliseconds: a slow machine is no fault
	b.call("POST", "/timeouts", map[string]any{"script": day, "pageLoad": day}, nil)
}

// try makes one call of WebDriver.
func (b *browser) try(method, path string, body, into any) error {
	var payload io.Reader
	if method == "POST" {
		if body == nil {
			body = struct{}{}
		}
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, b.url+path, payload)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	var answer struct{ Value json.RawMessage }
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%s %s: %s", method, path, text)
	}
	if reply.StatusCode != http.StatusOK {
		var fault struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &fault)
		message, _, _ := strings.Cut(fault.Message, "\n")
		return fmt.Errorf("%s %s: %s: %s", method, path, fault.Error, message)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, into)
}

func (b *browser) call(method, path string, body, into any) {
	b.t.Helper()
	if err := b.try(method, path, body, into); err != nil {
		b.fatal("%v", err)
	}
}

// fatal ends the test with what the page shows.
func (b *browser) fatal(format string, args ...any) {
	b.t.Helper()
	var text string
	_ = b.try("POST", "/frame", map[string]any{"id": nil}, nil)
	_ = b.try("POST", "/execute/sync", map[string]any{"script": "return location.href + '\\n' + document.body.innerText", "args": []any{}}, &text)
	b.t.Fatalf(format+"\nthe page:\n%s\nthe console:\n%s", append(args, text, strings.Join(b.console(), "\n"))...)
}

// visit opens an address.
func (b *browser) visit(url string) {
	b.t.Helper()
	b.call("POST", "/url", map[string]string{"url": url}, nil)
}

// eval returns the value of a JavaScript expression in the current frame.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	b.call("POST", "/execute/sync", map[string]any{"script": "return (" + expression + ")", "args": []any{}}, into)
}

// text is eval for a text.
func (b *browser) text(expression string) string {
	b.t.Helper()
	var s string
	b.eval("String("+expression+")", &s)
	return s
}

// await waits until an expression is true in the current frame; the browser
// does the waiting, for some seconds at a time.
func (b *browser) await(expression string) {
	b.t.Helper()
	const script = `const done = arguments[arguments.length - 1], end = performance.now() + 5000;
		const look = () => {
			let ok = false;
			try { ok = Boolean(%s); } catch { /* not yet */ }
			if (ok || performance.now() > end) done(ok); else setTimeout(look, 20);
		};
		look();`
	for {
		var ok bool
		err := b.try("POST", "/execute/async", map[string]any{"script": fmt.Sprintf(script, expression), "args": []any{}}, &ok)
		if ok {
			return
		}
		// A page that goes away takes the waiting with it.
		if overdue() {
			b.fatal("waited in vain for %s: %v", expression, err)
		}
	}
}

const elementKey = "element-6066-11e4-a52e-4f735466cecf" // of the WebDriver standard

// find waits for an element that a CSS selector names.
func (b *browser) find(selector string) string {
	b.t.Helper()
	b.await("document.querySelector(" + quote(selector) + ")")
	var element map[string]string
	b.call("POST", "/element", map[string]string{"using": "css selector", "value": selector}, &element)
	return element[elementKey]
}

// click clicks an element with the mouse, once it is there.
func (b *browser) click(selector string) {
	b.t.Helper()
	for {
		err := b.try("POST", "/element/"+b.find(selector)+"/click", nil, nil)
		if err == nil {
			return
		}
		// A page that draws again replaces its elements.
		if overdue() {
			b.fatal("click %s: %v", selector, err)
		}
	}
}

// write replaces the text of a field.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	e := b.find(selector)
	b.call("POST", "/element/"+e+"/clear", nil, nil)
	b.call("POST", "/element/"+e+"/value", map[string]string{"text": text}, nil)
}

// press presses one key, by its WebDriver code, on what has the focus.
func (b *browser) press(key string) {
	b.t.Helper()
	down, up := map[string]string{"type": "keyDown", "value": key}, map[string]string{"type": "keyUp", "value": key}
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": []any{down, up}}}}, nil)
}

// enter goes on in the frame of the board, and leave in the page.
func (b *browser) enter() {
	b.t.Helper()
	b.leave()
	b.call("POST", "/frame", map[string]any{"id": map[string]string{elementKey: b.find("iframe.viewer")}}, nil)
	b.await("document.querySelector('#board').children.length > 0")
}

func (b *browser) leave() {
	b.t.Helper()
	b.call("POST", "/frame", map[string]any{"id": nil}, nil)
}

// cdp calls Chromium's own protocol, for what WebDriver has not.
func (b *browser) cdp(command string, params map[string]any) {
	b.t.Helper()
	b.call("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, nil)
}

// scheme makes the window light or dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": name}}})
}

// console returns what the pages wrote to the console since the last call.
func (b *browser) console() []string {
	var entries []struct{ Level, Message string }
	_ = b.try("POST", "/se/log", map[string]string{"type": "browser"}, &entries)
	var lines []string
	for _, e := range entries {
		lines = append(lines, e.Level+" "+e.Message)
	}
	return lines
}

// shoot keeps a picture of the window when SCREENSHOTS names a folder.
func (b *browser) shoot(name string) {
	b.t.Helper()
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		return
	}
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		var encoded string
		b.call("GET", "/screenshot", nil, &encoded)
		png, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+"-"+scheme+".png"), png, 0o644)
		}
		if err != nil {
			b.t.Error(err)
		}
	}
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text can always be
	}
	return string(text)
}
