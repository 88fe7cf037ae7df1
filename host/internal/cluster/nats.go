package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Buckets of NATS, and bounds of their values in bytes.
const (
	hostsBucket   = "colosseum_hosts"
	matchesBucket = "colosseum_matches"
	maxHost       = 256 << 10
	maxMatch      = 128 << 10
)

// buckets are the key-value buckets of NATS. They are in memory: when they are lost, each
// host lists itself and its matches again.
type buckets struct {
	hosts, matches jetstream.KeyValue
	id             string // of this instance of the buckets: another one after they were lost
}

// connect connects to NATS. Changed is called after each disconnect and reconnect.
func connect(config Config, reconnect time.Duration, changed func(connected bool), log *slog.Logger) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("colosseum host " + config.Name), nats.Timeout(5 * time.Second),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnect), nats.ReconnectJitter(reconnect/2, reconnect/2),
		nats.ReconnectBufSize(-1), // nothing is sent late: each sender gets an error and tries again
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			log.Warn("the connection to NATS is lost: this host goes on with its own matches", "error", err)
			changed(false)
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			log.Info("connected to NATS again")
			changed(true)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			log.Warn("NATS reports an error", "subject", subject, "error", err)
		}),
	}
	c, err := nats.Connect(config.NATS, append(options, config.access()...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w: is it running, and is cluster.nats right?", place(config.NATS), err)
	}
	return c, nil
}

// place returns the host of a URL, which can contain a password.
func place(where string) string {
	if u, err := url.Parse(where); err == nil && u.Host != "" {
		return u.Host
	}
	return "the address of cluster.nats"
}

// openBuckets opens the buckets, and creates those that are missing.
func openBuckets(ctx context.Context, js jetstream.JetStream) (*buckets, error) {
	hosts, err := openBucket(ctx, js, jetstream.KeyValueConfig{
		Bucket: hostsBucket, Description: "hosts of colosseum", History: 1, TTL: forgetHost, MaxValueSize: maxHost, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return nil, err
	}
	matches, err := openBucket(ctx, js, jetstream.KeyValueConfig{
		Bucket: matchesBucket, Description: "matches of colosseum", History: 1, TTL: forgetMatch, MaxValueSize: maxMatch, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return nil, err
	}
	b := &buckets{hosts: hosts, matches: matches}
	b.id, err = b.created(ctx)
	return b, err
}

func openBucket(ctx context.Context, js jetstream.JetStream, config jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, config.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, explained(err)
	}
	// A single server, or two, cannot have three copies.
	for _, config.Replicas = range []int{3, 1} {
		if kv, err = js.CreateKeyValue(ctx, config); err == nil {
			return kv, nil
		}
		if errors.Is(err, jetstream.ErrBucketExists) { // another host was faster
			kv, err = js.KeyValue(ctx, config.Bucket)
			return kv, explained(err)
		}
	}
	return nil, fmt.Errorf("create the bucket %s in NATS: %w", config.Bucket, explained(err))
}

// explained adds what to do to an error of JetStream.
func explained(err error) error {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("JetStream is off: start NATS with nats-server -js: %w", err)
	}
	return err
}

// created returns the id of the buckets as they are now.
func (b *buckets) created(ctx context.Context) (id string, err error) {
	for _, kv := range []jetstream.KeyValue{b.hosts, b.matches} {
		status, err := kv.Status(ctx)
		if err != nil {
			return "", err
		}
		if s, ok := status.(*jetstream.KeyValueBucketStatus); ok {
			id += strconv.FormatInt(s.StreamInfo().Created.UnixNano(), 36) + "."
		}
	}
	return id, nil
}

// watch calls set with each value of a bucket, and once with nil after the values from
// before the watch, until ctx or the watch ends.
func watch(ctx context.Context, kv jetstream.KeyValue, set func(jetstream.KeyValueEntry)) error {
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_ = w.Stop()
		for range w.Updates() { // the library closes it, and blocks until it is read
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Updates():
			if !ok {
				return errors.New("the watch has ended")
			}
			// Only sealed values count: anyone on NATS can delete.
			if e == nil || e.Operation() == jetstream.KeyValuePut {
				set(e)
			}
		}
	}
}
