package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// browser is one window.
type browser struct {
	t   testing.TB
	url string // of the session
}

// idle holds the sessions of windows that no test uses, each a browser with its own
// profile. Tests reuse them, because starting a browser takes longer than most tests.
var idle []string

// open opens a window of the given size in pixels.
func open(t testing.TB, width, height int) *browser {
	t.Helper()
	needBrowser(t)
	b := &browser{t: t}
	if n := len(idle); n > 0 {
		b.url, idle = idle[n-1], idle[:n-1]
		b.renew()
	} else {
		b.launch()
	}
	t.Cleanup(func() {
		if t.Failed() || b.try("POST", "/url", map[string]string{"url": "about:blank"}, nil) != nil {
			_ = b.try("DELETE", "", nil, nil)
			return
		}
		idle = append(idle, b.url)
	})
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	return b
}

// launch starts a browser.
func (b *browser) launch() {
	b.t.Helper()
	b.url = driver.url + "/session"
	// No process is started in advance for the next page. Boards have a process of their own in
	// the deep run, as on a desktop. In the short one they share that of the page, as on a phone
	// with little memory, which takes a sixth less.
	without := "SpareRendererForSitePerProcess"
	if !long.Run() {
		without += ",IsolateSandboxedIframes"
	}
	args := []string{
		"--disable-features=" + without, "--disable-field-trial-config",
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
	}
	var session struct{ SessionID string }
	for tries := 1; ; tries++ { // chromedriver waits up to a minute for a browser
		err := b.try("POST", "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
			"browserName": "chrome", "unhandledPromptBehavior": "accept",
			"goog:chromeOptions": map[string]any{"binary": driver.bin, "args": args}, "goog:loggingPrefs": map[string]string{"browser": "ALL"},
		}}}, &session)
		if err == nil {
			break
		}
		if tries == 3 || !strings.Contains(err.Error(), "session not created") {
			b.t.Fatal(err)
		}
	}
	b.url += "/" + session.SessionID
	limit := poll.Limit.Milliseconds()
	b.call("POST", "/timeouts", map[string]any{"script": limit, "pageLoad": limit}, nil)
	b.forbear()
}

// renew replaces the window of a session by a new one, and deletes what pages have stored.
func (b *browser) renew() {
	b.t.Helper()
	b.cdp("Network.clearBrowserCache", map[string]any{})
	b.cdp("Network.clearBrowserCookies", map[string]any{}) // all hosts share them
	if common != nil {
		b.cdp("Storage.clearDataForOrigin", map[string]any{"origin": common.url, "storageTypes": "all"})
	}
	var next struct{ Handle string }
	b.call("POST", "/window/new", map[string]string{"type": "tab"}, &next)
	b.call("DELETE", "/window", nil, nil)
	b.call("POST", "/window", map[string]string{"handle": next.Handle}, nil)
	b.forbear()
	b.console()
}

// forbear makes the pages of the window patient with viewers and with the host.
func (b *browser) forbear() {
	b.t.Helper()
	b.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": forbearing})
}

// forbearing gives viewers more than an hour for an answer instead of the 25 seconds of late.js,
// and ten minutes for a picture instead of six seconds. On pages with an address that ends with
// ?impatient, and while a test sets impatient, an answer has two seconds. What is not complete
// after three seconds stays hidden, so that its layout does not shift on a busy machine.
const forbearing = `{
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("main.loading { animation: none }");
	document.adoptedStyleSheets.push(sheet);
	const real = setTimeout;
	window.setTimeout = (f, ms, ...rest) => real(f, ms === 6000 ? 600000 : ms !== 2500 ? ms : location.search === "?impatient" || window.impatient ? 200 : 600000, ...rest);
}`

// patience ends a call of a browser that hangs, after the browser's own limits.
var patience = http.Client{Timeout: poll.Limit + time.Minute}

// try makes one WebDriver call.
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
	reply, err := patience.Do(request)
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

// fatal ends the test with the texts of the current frame and of the page.
func (b *browser) fatal(format string, args ...any) {
	b.t.Helper()
	shown := func() (text string) {
		_ = b.try("POST", "/execute/sync", map[string]any{"script": "return location.href + '\\n' + document.body.innerText", "args": []any{}}, &text)
		return text
	}
	text := shown()
	_ = b.try("POST", "/frame", map[string]any{"id": nil}, nil)
	if page := shown(); page != text {
		text += "\nthe page around it:\n" + page
	}
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

// text returns the value of a JavaScript expression as a string.
func (b *browser) text(expression string) string {
	b.t.Helper()
	var s string
	b.eval("String("+expression+")", &s)
	return s
}

// await waits until an expression is true in the current frame.
func (b *browser) await(expression string) {
	b.t.Helper()
	var yes bool
	b.receive("Boolean("+expression+")", &yes, expression)
}

// awaitComplete waits until a page is complete and an expression is true in it.
func (b *browser) awaitComplete(expression string) {
	b.t.Helper()
	b.await("!document.querySelector('main.loading') && " + expression)
}

// receive waits until an expression is true in the current frame, and stores its value.
func (b *browser) receive(expression string, into any, what string) {
	b.t.Helper()
	begun := time.Now()
	for {
		ok, err := b.poll(expression, into)
		if ok {
			return
		}
		// The call fails when another page replaces this one.
		b.retry(begun, err, what)
	}
}

// poll has the browser look at an expression in the current frame until it is true, for up
// to 5 s, and stores its value.
func (b *browser) poll(expression string, into any) (ok bool, err error) {
	const script = `const done = arguments[arguments.length - 1], end = performance.now() + 5000;
		const look = () => {
			let got = null;
			try { got = %s; } catch { /* not yet */ }
			if (got || performance.now() > end) done(got || null); else setTimeout(look, 20);
		};
		look();`
	var got json.RawMessage
	err = b.try("POST", "/execute/async", map[string]any{"script": fmt.Sprintf(script, expression), "args": []any{}}, &got)
	if err != nil || len(got) == 0 || string(got) == "null" {
		return false, err
	}
	return true, json.Unmarshal(got, into)
}

// closed matches the errors of a window that does not come back.
var closed = regexp.MustCompile(`crashed|invalid session id|not reachable|disconnected|connection refused`)

// retry fails the test unless what it wants since begun can still come.
func (b *browser) retry(begun time.Time, err error, want string) {
	b.t.Helper()
	if err != nil && closed.MatchString(err.Error()) {
		b.fatal("the browser has ended: got %v, want %s", err, want)
	}
	for _, h := range running {
		select {
		case <-h.Done:
			b.fatal("the host of %s has ended: got %v, want %s", h.url, err, want)
		default:
		}
	}
	if time.Since(begun) > poll.Limit {
		b.fatal("waited %v, got %v, want %s", poll.Limit, err, want)
	}
}

const elementKey = "element-6066-11e4-a52e-4f735466cecf" // of the WebDriver standard

// find waits for the element of a CSS selector, and returns its ID.
func (b *browser) find(selector string) string {
	b.t.Helper()
	var element map[string]string
	b.receive("document.querySelector("+quote(selector)+")", &element, "an element "+selector)
	return element[elementKey]
}

// click waits for an element, and clicks it with the mouse.
func (b *browser) click(selector string) {
	b.t.Helper()
	begun := time.Now()
	for {
		err := b.try("POST", "/element/"+b.find(selector)+"/click", nil, nil)
		if err == nil {
			return
		}
		// The call fails when the page is drawn again, which replaces its elements.
		b.retry(begun, err, "a click on "+selector)
	}
}

// write replaces the text of a field.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	begun := time.Now()
	for {
		e := b.find(selector)
		err := b.try("POST", "/element/"+e+"/clear", nil, nil)
		if err == nil {
			err = b.try("POST", "/element/"+e+"/value", map[string]string{"text": text}, nil)
		}
		if err == nil {
			return
		}
		// The call fails while the page is being loaded, which hides or replaces its elements.
		b.retry(begun, err, "a text in "+selector)
	}
}

// press presses a key, given by its WebDriver code.
func (b *browser) press(key string) {
	b.t.Helper()
	down, up := map[string]string{"type": "keyDown", "value": key}, map[string]string{"type": "keyUp", "value": key}
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": []any{down, up}}}}, nil)
}

// enter switches to the frame of the board, and leave back to the page.
func (b *browser) enter() {
	b.t.Helper()
	begun := time.Now()
	for {
		b.leave()
		var frame map[string]string
		b.receive("document.querySelector('iframe.viewer') ?? (document.querySelector('pre.text') && {})", &frame, "a board or the text of the match")
		if frame[elementKey] == "" {
			b.fatal("got the text of the match, want its board")
		}
		err := b.try("POST", "/frame", map[string]any{"id": frame}, nil)
		if err == nil {
			var drawn bool
			if drawn, err = b.poll("document.querySelector('#board').children.length > 0", &drawn); drawn {
				return
			}
		}
		// The call fails when another board replaces this one.
		b.retry(begun, err, "a board that is drawn")
	}
}

func (b *browser) leave() {
	b.t.Helper()
	b.call("POST", "/frame", map[string]any{"id": nil}, nil)
}

// cdp calls Chromium's DevTools protocol, which has more commands than WebDriver.
func (b *browser) cdp(command string, params map[string]any) {
	b.t.Helper()
	b.call("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, nil)
}

// scheme sets the colour scheme: light or dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": name}}})
}

// overMeanwhile is what the console says if a match ended while the page asked for its clocks.
var overMeanwhile = regexp.MustCompile(`/api/matches/\w+/clocks - .* 404 `)

// console returns the lines of the console since the last call, without overMeanwhile.
func (b *browser) console() []string {
	var entries []struct{ Level, Message string }
	_ = b.try("POST", "/se/log", map[string]string{"type": "browser"}, &entries)
	var lines []string
	for _, e := range entries {
		if !overMeanwhile.MatchString(e.Message) {
			lines = append(lines, e.Level+" "+e.Message)
		}
	}
	return lines
}

// shoot saves pictures of the window in the folder SCREENSHOTS, if that is set.
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
		panic(err) // a string can always be encoded
	}
	return string(text)
}
