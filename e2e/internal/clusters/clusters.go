// Package clusters runs several hosts as one on this machine, without containers:
// PostgreSQL, NATS, hosts and a balancer, as processes that can be killed. Between them
// are links that can be cut.
package clusters

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/pgserver"
)

// ErrNoPostgres is the error of Start if PostgreSQL is not installed.
var ErrNoPostgres = errors.New("PostgreSQL is not installed: install the package postgresql")

// Options describe a cluster.
type Options struct {
	Hosts   int
	Bin     string // folder with the programs of Build
	Dir     string // an empty folder for everything that is stored
	Listen  string // address of the balancer; empty: any free port of this machine
	YAML    string // of all hosts, with the games
	Durable bool   // PostgreSQL waits for the disk
	Links   bool   // the connections between the parts can be cut
}

// Cluster is a running cluster. Its methods must not be called concurrently.
type Cluster struct {
	Postgres *pgserver.Server
	NATS     *Process
	Hosts    []*Host
	Balancer *Balancer

	options  Options
	store    string // URL of the database
	natsPort string // HOST:PORT
	secret   string // path
	links    []*Link
}

// Host is a host of a cluster.
type Host struct {
	*Process
	URL        string // ws://HOST:PORT/
	Operations string // http://HOST:PORT/
	Config     string // path of the YAML
	Data       string

	// With Options.Links; otherwise nil.
	ToPostgres, ToNATS *Link
	FromHosts          *Link // the other hosts use it

	address string // HOST:PORT
}

// Build builds the programs host, coco and nats-server into a folder.
func Build(bin string, race bool) error {
	for _, name := range []string{"host", "coco"} {
		if err := programs.Build("colosseum/"+name, filepath.Join(bin, name), race); err != nil {
			return err
		}
	}
	return BuildNATS(bin)
}

// BuildNATS builds nats-server into a folder.
func BuildNATS(bin string) error {
	return programs.Build("github.com/nats-io/nats-server/v2", filepath.Join(bin, "nats-server"), false)
}

// Start starts a cluster, and returns when all hosts are ready. Its Close must be called,
// except after an error.
func Start(ctx context.Context, o Options) (_ *Cluster, err error) {
	bin := pgserver.Installed()
	if bin == "" {
		return nil, ErrNoPostgres
	}
	c := &Cluster{options: o, secret: filepath.Join(o.Dir, "secret")}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if err := os.WriteFile(c.secret, []byte(rand.Text()+rand.Text()+"\n"), 0o600); err != nil {
		return nil, err
	}
	// Not below o.Dir: the server's user must reach the folder.
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	if c.Postgres, err = pgserver.New(bin, folder, o.Durable); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if err := c.Postgres.Run(); err != nil {
		return nil, err
	}
	if c.store, err = c.Postgres.Create(ctx, "colosseum"); err != nil {
		return nil, err
	}
	if c.natsPort, err = freePort(); err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(c.natsPort, ":")
	c.NATS = &Process{
		Name: "nats", Log: filepath.Join(o.Dir, "nats.log"),
		words: []string{filepath.Join(o.Bin, "nats-server"), "-a", "127.0.0.1", "-p", port, "-js", "-sd", filepath.Join(o.Dir, "nats")},
	}
	if err := c.StartNATS(ctx); err != nil {
		return nil, err
	}
	for i := range o.Hosts {
		h, err := c.NewHost(fmt.Sprintf("h%d", i+1), c.secret)
		if err != nil {
			return nil, err
		}
		c.Hosts = append(c.Hosts, h)
		if err := h.Start(); err != nil { // all at the same time
			return nil, err
		}
	}
	if err := c.Ready(ctx); err != nil {
		return nil, err
	}
	listen := o.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	c.Balancer, err = NewBalancer(listen, c.Hosts)
	return c, err
}

// NewHost prepares a host with its own name and a file with a secret. Start starts it.
func (c *Cluster) NewHost(name, secret string) (*Host, error) {
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	operations, err := freePort()
	if err != nil {
		return nil, err
	}
	h := &Host{
		address: listen, URL: "ws://" + listen + "/", Operations: "http://" + operations + "/",
		Config: filepath.Join(c.options.Dir, name+".yaml"), Data: filepath.Join(c.options.Dir, name),
	}
	store, at, advertise := c.store, c.natsPort, listen
	if c.options.Links {
		u, err := url.Parse(c.store)
		if err != nil {
			return nil, err
		}
		for _, l := range []struct {
			link   **Link
			target string
		}{{&h.ToPostgres, u.Host}, {&h.ToNATS, at}, {&h.FromHosts, listen}} {
			if *l.link, err = NewLink(l.target); err != nil {
				return nil, err
			}
			c.links = append(c.links, *l.link)
		}
		u.Host = h.ToPostgres.Address
		store, at, advertise = u.String(), h.ToNATS.Address, h.FromHosts.Address
	}
	yaml := fmt.Sprintf("listen: %s\ndata: %s\nstore: %s\noperations: {listen: '%s'}\ncluster: {name: %s, nats: 'nats://%s', advertise: 'ws://%s', secret_file: %s}\n%s",
		listen, h.Data, store, operations, name, at, advertise, secret, c.options.YAML)
	h.Process = &Process{
		Name: name, Log: filepath.Join(c.options.Dir, name+".log"),
		words: []string{filepath.Join(c.options.Bin, "host"), "--config", h.Config},
	}
	return h, os.WriteFile(h.Config, []byte(yaml), 0o600)
}

// NewRunner prepares a host that only runs the programs of players. Start starts it; it is
// none of Hosts, and does not end with the cluster.
func (c *Cluster) NewRunner(name string) (*Host, error) {
	h, err := c.NewHost(name, c.secret)
	if err == nil {
		h.words = append(h.words, "runner")
	}
	return h, err
}

// StartNATS starts NATS, also after it was killed, and returns when it takes connections.
func (c *Cluster) StartNATS(ctx context.Context) error {
	if err := c.NATS.Start(); err != nil {
		return err
	}
	return until(ctx, "NATS takes connections", func() (bool, error) {
		conn, err := nats.Connect("nats://" + c.natsPort)
		if err != nil {
			return false, c.NATS.ended()
		}
		conn.Close()
		return true, nil
	})
}

// Ready returns when all hosts say that they are ready, which a host says also without
// the others.
func (c *Cluster) Ready(ctx context.Context) error {
	for _, h := range c.Hosts {
		if err := h.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Ready returns when the host says that it is ready.
func (h *Host) Ready(ctx context.Context) error {
	client := http.Client{Timeout: checkTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	return until(ctx, h.Name+" is ready", func() (bool, error) {
		if answersOK(ctx, &client, h.Operations+"readyz") {
			return true, nil
		}
		return false, h.ended()
	})
}

// Close ends everything: first the hosts, in order; those that take too long are killed.
func (c *Cluster) Close() { c.close(syscall.SIGTERM) }

// Kill is Close at once.
func (c *Cluster) Kill() { c.close(os.Kill) }

const closeTimeout = 20 * time.Second

func (c *Cluster) close(sig os.Signal) {
	if c.Balancer != nil {
		c.Balancer.Close()
	}
	for _, h := range c.Hosts {
		h.Signal(sig)
	}
	late := time.After(closeTimeout)
	for _, h := range c.Hosts {
		done := h.Done()
		if done == nil {
			continue
		}
		select {
		case <-done:
		case <-late:
			for _, h := range c.Hosts {
				h.Signal(os.Kill)
			}
			<-done
		}
	}
	for _, l := range c.links {
		l.Close()
	}
	if c.NATS != nil {
		c.NATS.End(os.Kill)
	}
	if c.Postgres != nil {
		c.Postgres.Remove()
	}
}

// freePort returns an address at which nothing listens: HOST:PORT.
func freePort() (string, error) {
	port, err := pgserver.FreePort()
	return fmt.Sprintf("127.0.0.1:%d", port), err
}

// until calls ok until it returns true or an error.
func until(ctx context.Context, condition string, ok func() (bool, error)) error {
	for {
		if yes, err := ok(); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", condition, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
