// Command cluster runs several hosts as one on this machine, to try them out: it starts
// PostgreSQL, NATS, the hosts and a balancer, and ends them at Ctrl-C.
//
//	go run ./e2e/cluster
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"colosseum/e2e/internal/clusters"
)

func main() {
	hosts := flag.Int("hosts", 3, "number of hosts, from 1 to 20")
	port := flag.Int("port", 8088, "port of the balancer; 0: any free one")
	durable := flag.Bool("durable", false, "PostgreSQL waits for the disk")
	plugins := flag.String("plugins", "plugins", "folder of games")
	flag.Parse()
	if err := run(*hosts, *port, *durable, *plugins); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(hosts, port int, durable bool, plugins string) (err error) {
	if hosts < 1 || hosts > 20 || flag.NArg() > 0 {
		return errors.New("usage: cluster [-hosts 1..20] [-port PORT] [-durable] [-plugins FOLDER]")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if plugins, err = filepath.Abs(plugins); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return err
	}
	fmt.Println("building host, coco and nats-server …")
	if err := clusters.Build(bin, false); err != nil {
		return err
	}
	fmt.Println("starting PostgreSQL, NATS and the hosts; they build their games …")
	c, err := clusters.Start(ctx, clusters.Options{
		Hosts: hosts, Bin: bin, Dir: dir, Durable: durable, Listen: fmt.Sprintf("127.0.0.1:%d", port),
		YAML: fmt.Sprintf("plugins: {folders: [%q]}\n", plugins),
	})
	if err != nil {
		return err
	}
	defer c.Close()
	web := func(url string) string { return "http" + strings.TrimPrefix(url, "ws") }
	fmt.Printf("\nall hosts, through the balancer: %s, pages at %s\n", c.Balancer.URL, web(c.Balancer.URL))
	for _, h := range c.Hosts {
		fmt.Printf("%s: %s, pages at %s, metrics at %smetrics, process %d, log %s\n", h.Name, h.URL, web(h.URL), h.Operations, h.PID(), h.Log)
	}
	fmt.Printf("NATS: process %d, log %s\n", c.NATS.PID(), c.NATS.Log)
	fmt.Printf("\nFor example: go run ./coco -s %s new roshambo\n", c.Balancer.URL)
	fmt.Printf("Commands of the host: %s --config %s contest list\n", filepath.Join(bin, "host"), c.Hosts[0].Config)
	fmt.Println("Ctrl-C ends everything and removes the data.")
	<-ctx.Done()
	stop() // another Ctrl-C ends at once
	fmt.Println("ending …")
	return nil
}
