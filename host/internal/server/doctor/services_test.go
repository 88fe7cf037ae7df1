package doctor

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/pgserver"
)

func TestPostgresIsExamined(t *testing.T) {
	pg := pgserver.Start(t, false)
	url := pg.Database(t)
	execute(t, url, "REVOKE CREATE ON SCHEMA public FROM public", "CREATE ROLE reader LOGIN PASSWORD 'sesame'")
	none, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	none.Close()
	tests := []struct {
		name, store  string
		state        State
		want, remedy string
	}{
		{"healthy", url, OK, "a round trip takes", ""},
		{"no right to create tables", strings.Replace(url, "colosseum@", "reader:sesame@", 1), Fail, "no right to create tables", "own the database"},
		{"unknown database", pg.URL("nowhere"), Fail, "nowhere", "check the address"},
		{"nobody listens", "postgres://ann:sesame@" + none.Addr().String() + "/x", Fail, "connect", "start PostgreSQL"},
		{"invalid URL", "postgres://ann:sesame%zz@db/x", Fail, "the URL in store is invalid", "write it like"},
		{"invalid option", "postgres://ann:sesame@127.0.0.1/x?sslmode=sometimes", Fail, "the URL in store is invalid", "write it like"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFound(t, postgres(t.Context(), tt.store), tt.state, tt.want, tt.remedy)
		})
	}
	c := healthy(t)
	c.Store = url
	for _, f := range Examine(t.Context(), c, "", free) {
		if f.State == Fail || f.What == "disk space" {
			t.Errorf("got %+v, want no failure, and nothing about the space for a file of records", f)
		}
	}
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatHostsShareIsExamined(t *testing.T) {
	url := natsserver.Start(t).URL()
	memory, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	memory.Start()
	t.Cleanup(func() {
		memory.Shutdown()
		memory.WaitForShutdown()
	})
	secret := func(text string, mode os.FileMode) string { return write(t, text+"\n", mode) }
	long := strings.Repeat("sesame", 6)
	stopped := natsserver.Start(t)
	stopped.Stop()
	tests := []struct {
		name, nats, secret string
		state              State
		want, remedy       string
	}{
		{"healthy", url, secret(long, 0o600), OK, "with JetStream", ""},
		{"private secret", url, secret(long, 0o600), OK, "is private", ""},
		{"secret that others can read", url, secret(long, 0o644), Warn, "can be read by others", "chmod 600"},
		{"short secret", url, secret("sesame", 0o600), Fail, "has 6 characters: use at least 32", "32 random characters"},
		{"no secret", url, "/nowhere", Fail, "/nowhere", "32 random characters"},
		{"no NATS", stopped.URL(), secret(long, 0o600), Fail, "no servers available", "start NATS"},
		{"no JetStream", memory.ClientURL(), secret(long, 0o600), Fail, "jetstream not enabled", "--jetstream"},
		{"invalid URL", "nats://ann:sesame%zz@n", secret(long, 0o600), Fail, "the URL in cluster.nats is invalid", "write it like"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFound(t, shared(t.Context(), config.Cluster{Name: "one", NATS: tt.nats, SecretFile: tt.secret}), tt.state, tt.want, tt.remedy)
		})
	}
	if got := shared(t.Context(), config.Cluster{}); got != nil {
		t.Errorf("a host that is alone: got %+v, want nothing", got)
	}
}

func TestFileWithThePasswordOfAServiceMustBePrivate(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"PostgreSQL", "store: postgres://ann:sesame@db/x\n"},
		{"PostgreSQL, as an option", "store: postgres://db/x?password=sesame\n"},
		{"NATS", "store: postgres://db/x\ncluster: {name: a, nats: 'nats://ann:sesame@n', advertise: 'ws://h', secret_file: s}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.text, 0o644)
			checkFound(t, secrets(config.Default(), path), Warn, path+" can be read by others", "chmod 600")
		})
	}
	path := write(t, "store: postgres://db/x?sslmode=disable\n", 0o644)
	for _, f := range secrets(config.Default(), path) {
		if f.State != OK {
			t.Errorf("a URL without a password: got %+v, want nothing to do", f)
		}
	}
}

func TestNATSBefore210IsTooOld(t *testing.T) {
	for version, want := range map[string]bool{"2.9.10": true, "1.4.1": true, "2.10.0": false, "2.15.2": false, "3.0.0": false, "2.9": true, "": false, "next": false} {
		if got := tooOld(version); got != want {
			t.Errorf("%q: got %v, want %v", version, got, want)
		}
	}
}
