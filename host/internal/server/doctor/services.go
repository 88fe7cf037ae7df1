package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/base/config"
)

// serviceTimeout is how long all checks of one server can take.
const serviceTimeout = 10 * time.Second

// leastPostgres is the oldest version that has everything that package store uses.
const leastPostgres = 13

// postgres checks the database of the records. No finding has its password.
func postgres(ctx context.Context, at string) []Finding {
	const what = "PostgreSQL"
	ctx, cancel := context.WithTimeout(ctx, serviceTimeout)
	defer cancel()
	shown := config.ShowStore(at)
	conn, err := pgx.Connect(ctx, at)
	if parse := (*pgconn.ParseConfigError)(nil); errors.As(err, &parse) { // quotes the URL
		return []Finding{fail(what, fmt.Errorf("the URL in store is invalid: %s", shown), "write it like postgres://USER:PASSWORD@HOST:5432/DATABASE")}
	}
	if err != nil {
		return []Finding{fail(what, err, "start PostgreSQL, and check the address, the user, the password and pg_hba.conf of the server")}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var version int
	var create, encrypted, remote bool
	begun := time.Now()
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
		coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
		inet_server_addr() IS NOT NULL AND NOT inet_server_addr() <<= '127.0.0.0/8' AND inet_server_addr() <> '::1'`).
		Scan(&version, &create, &encrypted, &remote)
	if err == nil {
		begun = time.Now() // the first query also loads catalogs
		err = conn.Ping(ctx)
	}
	if err != nil {
		return []Finding{fail(what, err, "look into the log of the server")}
	}
	all := []Finding{ok(what, "%s has version %d; a round trip takes %.1f ms", shown, version, float64(time.Since(begun).Microseconds())/1000)}
	if version < leastPostgres {
		all[0] = fail(what, fmt.Errorf("%s has version %d", shown, version), fmt.Sprintf("use version %d or newer", leastPostgres))
	}
	if !create {
		all = append(all, fail("tables in PostgreSQL", errors.New("the user has no right to create tables"), "let it own the database: ALTER DATABASE … OWNER TO …"))
	}
	if remote && !encrypted {
		all = append(all, warn("encryption of PostgreSQL", "the connection leaves this machine and is not encrypted", "add ?sslmode=verify-full to the URL"))
	}
	return all
}

// shared checks what several hosts share.
func shared(ctx context.Context, k config.Cluster) []Finding {
	if k.Empty() {
		return nil
	}
	var all []Finding
	if _, err := k.ReadSecret(); err != nil {
		all = append(all, fail("secret of the cluster", err, "write a line of 32 random characters or more into the file, the same for all hosts"))
	} else {
		all = append(all, private("secret of the cluster", k.SecretFile))
	}
	return append(all, queue(ctx, k))
}

// queue checks NATS. Its finding has no password.
func queue(ctx context.Context, k config.Cluster) Finding {
	const what = "NATS"
	ctx, cancel := context.WithTimeout(ctx, serviceTimeout)
	defer cancel()
	options := []nats.Option{nats.Name("colosseum doctor"), nats.Timeout(serviceTimeout / 2), nats.NoReconnect()}
	if k.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(k.CredentialsFile))
	}
	if k.CAFile != "" {
		options = append(options, nats.RootCAs(k.CAFile))
	}
	conn, err := nats.Connect(k.NATS, options...)
	if parse := (*url.Error)(nil); errors.As(err, &parse) { // quotes the URL
		return fail(what, errors.New("the URL in cluster.nats is invalid"), "write it like nats://HOST:4222")
	}
	if err != nil {
		return fail(what, err, "start NATS, and check cluster.nats, cluster.credentials_file and cluster.ca_file")
	}
	defer conn.Close()
	stream, err := jetstream.New(conn)
	if err == nil {
		_, err = stream.AccountInfo(ctx)
	}
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fail(what, err, "start nats-server with --jetstream, and enable it for the account")
	case err != nil:
		return fail(what, err, "look into the log of the server")
	}
	if version := conn.ConnectedServerVersion(); tooOld(version) {
		return fail(what, fmt.Errorf("its version is %s, and hosts need 2.10 or newer", version), "get one from github.com/nats-io/nats-server/releases; packages of distributions can be older")
	}
	trip, err := conn.RTT()
	if err != nil {
		return fail(what, err, "look into the log of the server")
	}
	return ok(what, "version %s with JetStream; a round trip takes %.1f ms", conn.ConnectedServerVersion(), float64(trip.Microseconds())/1000)
}

// tooOld reports whether a version of NATS, like 2.9.10, is one before 2.10. One of another
// form counts as new.
func tooOld(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major < 2 || major == 2 && minor < 10
}
