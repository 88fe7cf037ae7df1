package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const cluster = "cluster: {name: one, nats: 'nats://n:4222', advertise: 'ws://h:8088', secret_file: s}\n"

func TestStoreCanComeFromTheEnvironment(t *testing.T) {
	tests := []struct{ name, file, store, want string }{
		{"no store", "", "", ""},
		{"a file for a store", "", "/var/lib/records.db", "store must be empty, or like postgres://"},
		{"several hosts", cluster, "postgres://db/colosseum", ""},
		{"several hosts without a store", cluster, "", "line 1: cluster: several hosts need the same PostgreSQL: set store"},
		{"a limit on the file", "listen: x\nrecords: {max_gb: 3}\n", "postgres://db/colosseum", "line 2: records.max_gb does not work with PostgreSQL"},
		{"no such rule without NATS", strings.Replace(cluster, "name", "without_nats: two, name", 1), "postgres://db/colosseum", `cluster.without_nats: "two" is not one of one, all, none`},
		{"too patient for several hosts", cluster + "records: {patience: 7s}\n", "postgres://db/colosseum", "line 2: records.patience must be at most 6s with several hosts"},
		{"a wrong store in the file that is not used", "store: nowhere\n", "postgres://db/colosseum", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "host.yaml")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Source{Path: path, Override: func(c *Config) { c.Store = tt.store }}.Load()
			if tt.want == "" && (err != nil || c.Store != tt.store) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestShownStoreHasNoPassword(t *testing.T) {
	for _, tt := range []struct{ name, at, want string }{
		{"file", "data/colosseum.db", "data/colosseum.db"},
		{"password", "postgres://ann:geheim@db:5432/colosseum", "postgres://ann@db:5432/colosseum"},
		{"password in an option", "postgresql://db/colosseum?password=geheim", "postgresql://db/colosseum"},
		{"no user", "postgres://db", "postgres://db"},
		{"invalid", "postgres://ann:geheim%zz@db/x", "PostgreSQL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ShowStore(tt.at); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSecretOfAClusterIsChecked(t *testing.T) {
	secret := strings.Repeat("0123456789", 4)
	file := filepath.Join(t.TempDir(), "secret")
	if _, err := (Cluster{SecretFile: file}).ReadSecret(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got the error %v, want that the file does not exist", err)
	}
	for text, want := range map[string]string{
		"short\n":                     "has 5 characters",
		strings.Repeat(" ", 50) + "x": "has 1 characters",
		"\n" + secret + "\n":          "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (Cluster{SecretFile: file}).ReadSecret()
		if want == "" && (err != nil || string(got) != secret) {
			t.Errorf("%q: got %q and the error %v, want %q", text, got, err, secret)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got the error %v, want %q", text, err, want)
		}
	}
}
