package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/group"
	"colosseum/sdk/wire"
)

// process is a child process as go-plugin's runner. It has its own group, so that
// Ctrl-C on the host's terminal does not reach it and its descendants end with it. It
// is confined under a policy, and has a lifeline, a pipe that closes however the host
// ends.
type process struct {
	cmd            *exec.Cmd
	group          *group.Group // set by Start
	stdout, stderr io.ReadCloser
	lifeline       *os.File   // the host's end; the child exits when it closes
	frames         *os.File   // the host's end of the socket for frames; nil: there is none
	childEnds      []*os.File // of both
	level          sandbox.Level
	policy         sandbox.Policy // its folder Write is that of the socket
	grace          time.Duration  // see Spec
	control        *sandbox.Group // set by Start; can be nil
	tcp            bool           // it can use TCP instead
	started        func()         // called when the process runs; can be nil
	exited         chan struct{}
	status         error // how it ended; set before exited is closed
}

func newProcess(cmd *exec.Cmd, dir string, level sandbox.Level, policy sandbox.Policy, grace time.Duration) (*process, error) {
	p := &process{
		cmd: cmd, level: level, policy: policy, grace: grace, exited: make(chan struct{}),
		tcp: level == sandbox.Off || policy.Network || !sandbox.Supported().Launcher,
	}
	cmd.Dir = dir
	cmd.Stdin = nil // go-plugin gave it the host's
	if err := p.connect(); err != nil {
		p.closeFiles()
		p.closeFrames()
		return nil, err
	}
	if policy.Memory > 0 {
		// A soft limit below the hard one: the collector works harder before the
		// process dies.
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(policy.Memory*8/10, 10))
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		p.stdout = newAnnouncement(stdout)
		p.stderr, err = cmd.StderrPipe()
	}
	if err != nil {
		p.closeFiles()
		p.closeFrames()
		return nil, err
	}
	return p, nil
}

// connect creates the lifeline and the socket for frames, and passes the child's ends
// on.
func (p *process) connect() error {
	childEnd, hostEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("create the lifeline: %w", err)
	}
	p.lifeline = hostEnd
	if err := p.passOn(wire.LifelineKey, childEnd); err != nil {
		return fmt.Errorf("pass the lifeline on: %w", err)
	}
	hostEnd, childEnd, err = wire.Sockets()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create the socket for frames: %w", err)
	}
	p.frames = hostEnd
	if err := p.passOn(wire.FramesKey, childEnd); err != nil {
		return fmt.Errorf("pass the socket for frames on: %w", err)
	}
	return nil
}

// passOn lets the child inherit a file, whose number is the value of a variable.
func (p *process) passOn(key string, f *os.File) error {
	p.childEnds = append(p.childEnds, f)
	number, err := passOn(p.cmd, f)
	p.cmd.Env = append(p.cmd.Env, key+"="+strconv.Itoa(number))
	return err
}

// Start implements runner.Runner.
func (p *process) Start(context.Context) error {
	var g *group.Group
	control, err := sandbox.Start(p.cmd, p.level, p.policy, func() (err error) {
		g, err = group.Start(p.cmd, p.policy.Memory)
		return err
	})
	if err != nil {
		p.status = err
		close(p.exited)
		p.closeFiles()
		return err
	}
	p.group, p.control = g, control
	for _, f := range p.childEnds {
		_ = f.Close() // the child has its own copy
	}
	if p.started != nil {
		p.started()
	}
	return nil
}

// Wait implements runner.Runner; go-plugin calls it once, after both pipes closed.
func (p *process) Wait(context.Context) error {
	p.status = p.cmd.Wait()
	p.group.End() // its descendants
	p.control.Close()
	p.closeFiles()
	close(p.exited)
	return p.status
}

// Kill kills the process with its group.
func (p *process) Kill(context.Context) error {
	if p.group == nil {
		return nil
	}
	select {
	case <-p.exited:
		return nil
	default:
	}
	// A descendant that has left the group holds the other ends of the pipes open,
	// and go-plugin calls Wait only after they are closed. They stay open for a while, so
	// that the rest of the output is read.
	time.AfterFunc(p.grace, func() {
		_ = p.stdout.Close()
		_ = p.stderr.Close()
	})
	p.group.Kill()
	p.control.Kill()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// stop closes the lifeline, and kills the process if it has not ended after its grace.
func (p *process) stop() {
	_ = p.lifeline.Close()
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		_ = p.Kill(context.Background())
	}
}

// endedByItself waits for the process, which is ending, and returns its status. It
// returns nil if the process was killed or never ran.
func (p *process) endedByItself() error {
	if p == nil || p.group == nil {
		return nil
	}
	timer := time.NewTimer(2 * p.grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		return nil
	}
	var status *exec.ExitError
	if errors.As(p.status, &status) && !killed(status) {
		return status
	}
	return nil
}

func (p *process) closeFiles() {
	_ = p.lifeline.Close()
	for _, f := range p.childEnds {
		_ = f.Close()
	}
}

// closeFrames closes the socket for frames. The last ones can be read until then, even
// after the end of the child.
func (p *process) closeFrames() {
	if p.frames != nil {
		_ = p.frames.Close()
	}
}

// The methods below complete runner.Runner.

func (p *process) Stdout() io.ReadCloser { return p.stdout }
func (p *process) Stderr() io.ReadCloser { return p.stderr }
func (p *process) Name() string          { return p.cmd.Path }

func (p *process) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

func (p *process) Diagnose(context.Context) string                       { return "" }
func (p *process) HostToPlugin(net, addr string) (string, string, error) { return net, addr, nil }

// PluginToHost is called with the address that the child announces.
func (p *process) PluginToHost(net, addr string) (string, string, error) {
	return net, addr, checkAddress(net, addr, p.policy.Write, p.tcp)
}

var quiet = hclog.New(&hclog.LoggerOptions{Level: hclog.Off, Output: io.Discard})
