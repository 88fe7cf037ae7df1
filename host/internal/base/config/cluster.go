package config

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// InPostgres reports whether the records are in PostgreSQL, and not in a file.
func InPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// StoreAt returns where the records are: the URL of a PostgreSQL, or the path of the file
// in the data folder.
func (c *Config) StoreAt() string {
	if c.Store != "" {
		return c.Store
	}
	return filepath.Join(c.Data, "colosseum.db")
}

// ShowStore returns where records are as everybody can see it: of a URL only the user, the
// address and the database, because anything else can be a password.
func ShowStore(at string) string {
	if !InPostgres(at) {
		return at
	}
	u, err := url.Parse(at)
	if err != nil {
		return "PostgreSQL"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String()
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// ValidHostName reports whether a host of a cluster can have a name: 1 to 32 of a-z, 0-9
// and -, which is neither first nor last.
func ValidHostName(name string) bool { return hostName.MatchString(name) }

// Values of cluster.without_nats: which hosts are ready for new clients while they are not
// connected to NATS.
const (
	ReadyOne  = "one" // only one of them, and only if no host is connected
	ReadyAll  = "all"
	ReadyNone = "none"
)

// Empty reports whether the host is configured to be alone.
func (k Cluster) Empty() bool { return k == Cluster{WithoutNATS: k.WithoutNATS} }

// MaxPatience is the most that records.patience can be with several hosts: a host that has
// given no sign of life for 8 s can be fenced.
const MaxPatience = 6 * time.Second

const minClusterSecret = 32 // characters

// ReadSecret reads the secret of the cluster: at least 32 characters, without the white
// space around them. Its errors never quote the content.
func (k Cluster) ReadSecret() ([]byte, error) {
	b, err := os.ReadFile(k.SecretFile)
	if err != nil {
		return nil, fmt.Errorf("read the secret of the cluster: %w", err)
	}
	b = bytes.TrimSpace(b)
	if len(b) < minClusterSecret {
		return nil, fmt.Errorf("the secret of the cluster in %s has %d characters: use at least %d random ones, the same on all hosts", k.SecretFile, len(b), minClusterSecret)
	}
	return b, nil
}

// cluster checks the settings of several hosts. Its errors show no URL, because it can
// contain a password.
func (c *Config) cluster() error {
	if c.Store != "" && !InPostgres(c.Store) {
		return wrong("store", "store must be empty, or like postgres://USER@HOST/DATABASE")
	}
	if InPostgres(c.Store) && c.Records.MaxGB != 0 {
		return wrong("records.max_gb", "records.max_gb does not work with PostgreSQL: use records.keep")
	}
	if e := c.Tracing.Endpoint; e != "" && !hasScheme(e, "http", "https") {
		return wrong("tracing.endpoint", "tracing.endpoint must be like http://localhost:4318")
	}
	k := c.Cluster
	if k.Empty() {
		return nil
	}
	switch {
	case !slices.Contains([]string{ReadyOne, ReadyAll, ReadyNone}, k.WithoutNATS):
		return wrong("cluster.without_nats", "cluster.without_nats: %q is not one of one, all, none", k.WithoutNATS)
	case !ValidHostName(k.Name):
		return wrong("cluster.name", "cluster.name: %q is not 1 to 32 of a-z, 0-9 and -", k.Name)
	case !InPostgres(c.Store):
		return wrong("cluster.name", "cluster: several hosts need the same PostgreSQL: set store")
	case !hasScheme(k.NATS, "nats", "tls"):
		return wrong("cluster.nats", "cluster.nats must be like nats://HOST:4222 or tls://HOST:4222")
	case !hasScheme(k.Advertise, "ws", "wss"):
		return wrong("cluster.advertise", "cluster.advertise must be the address at which other hosts reach this one, like ws://10.0.0.1:8088")
	case c.Records.Patience > MaxPatience:
		return wrong("records.patience", "records.patience must be at most %v with several hosts: soon afterwards they take a host for dead", MaxPatience)
	case k.SecretFile == "":
		return wrong("cluster.secret_file", "cluster.secret_file is missing: all hosts need the same secret")
	}
	return nil
}

// hasScheme reports whether a URL has a host, and one of the given schemes.
func hasScheme(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}
