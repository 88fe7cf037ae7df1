package browser

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"time"

	"colosseum/internal/group"
	"colosseum/internal/test/poll"
)

// driver is the running chromedriver, a server of WebDriver over HTTP; nil if there is
// no browser.
var driver *chromedriver

type chromedriver struct {
	cmd   *exec.Cmd
	group *group.Group // with its browsers
	url   string
	bin   string // of the browser
}

var driverPort = regexp.MustCompile(`started successfully on port (\d+)`)

// errNoBrowser is the error that skips the tests; any other fails them.
var errNoBrowser = errors.New("there is no chromium with chromedriver")

// startDriver starts chromedriver on a free port. It tries again if chromedriver fails:
// chromedriver can pick a port that is free for only one of IPv4 and IPv6, which happens
// often after tests with thousands of connections.
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
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if d.group, err = group.Start(d.cmd, 0); err != nil {
		return err
	}
	output := ""
	limit := time.AfterFunc(poll.Limit, d.group.Kill)
	defer limit.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := driverPort.FindStringSubmatch(lines.Text()); m != nil {
			d.url = "http://127.0.0.1:" + m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with chromedriver
			return nil
		}
		output += "\n" + lines.Text()
	}
	d.stop()
	return fmt.Errorf("chromedriver did not start:%s", output)
}

func (d *chromedriver) stop() {
	d.group.Kill()
	_ = d.cmd.Wait()
	d.group.End()
}
