package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/records/dialect"
)

// Bounds of what is kept for a webhook.
const (
	maxWaiting  = 10_000 // messages that wait for it; more are given up at once
	maxProblem  = 500    // bytes
	keptFor     = 30 * 24 * time.Hour
	addedEvent  = "webhook.added" // of the row that says that a webhook is known
	turnedOn    = 0               // the contest of the position that says that messages are made
	unannounced = -1              // the position of a contest that no message has announced
)

// Events of programs, as webhooks name them.
const (
	ProgramAccepted = "program.accepted"
	ProgramRefused  = "program.refused"
	ProgramRests    = "program.rests"
)

// ErrNoDelivery is the error for a delivery that does not exist.
var ErrNoDelivery = errors.New("there is no such delivery")

// Delivery is a message for one webhook.
type Delivery struct {
	Number  int64  // in the store
	ID      string // of the message, the same each time that it is sent
	Hook    string // the name of the webhook
	Event   string // such as contest.ended
	Body    string // JSON
	Created time.Time
	Next    time.Time // when it is tried again; zero: it was delivered, or given up
	Tries   int
	Status  int    // of the last HTTP answer; 0: there was none
	Problem string // of the last try; empty: there was none
}

// Delivered reports whether the receiver has the message.
func (d *Delivery) Delivered() bool { return d.Next.IsZero() && d.Problem == "" && d.Tries > 0 }

// ContestNews is a contest with events from which no messages were made yet.
type ContestNews struct {
	Contest
	Number   int64 // of the contest
	Position int64 // the last event from which messages were made; -1: the contest is new
}

// ProgramNews is a message about a program that is not yet one for each webhook.
type ProgramNews struct {
	Number  int64 // in the store
	ID      string
	Event   string
	At      time.Time
	Program ProgramEvent
}

// ProgramEvent is what has happened to a program that was handed in.
type ProgramEvent struct {
	Player  string `json:"player"`
	Game    string `json:"game"`
	Version int    `json:"version"`
	Fault   string `json:"fault,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Webhooks are the messages for other sites, next to the records. A webhook that is known
// gets a message for each event since then. Several processes can have them open at once.
// The methods can be called concurrently; those that write do all or nothing.
type Webhooks struct {
	d      dialect.Database
	read   *sql.DB // sees each commit of any process at once
	update *updater
}

const webhookReaders = 2 // reads that run at once; others wait

// OpenWebhooks opens the messages in a file of records or in PostgreSQL, like
// [OpenSubmissions].
func OpenWebhooks(ctx context.Context, where string, log *slog.Logger) (*Webhooks, error) {
	d, shown, err := find(where)
	if err == nil {
		var w *Webhooks
		if w, err = openWebhooks(ctx, d, log); err == nil {
			return w, nil
		}
	}
	return nil, fmt.Errorf("open the webhooks in %s: %w", shown, explain(d, err))
}

func openWebhooks(ctx context.Context, d dialect.Database, log *slog.Logger) (*Webhooks, error) {
	if err := d.Prepare(ctx, log); err != nil {
		return nil, err
	}
	write, err := d.Connect(1, false)
	if err != nil {
		return nil, err
	}
	w, err := newWebhooks(newUpdater(d, write))
	if err != nil {
		write.Close()
	}
	return w, err
}

// newWebhooks opens the connections that read. If it fails, those of u stay open.
func newWebhooks(u *updater) (*Webhooks, error) {
	read, err := u.d.Connect(webhookReaders, true)
	if err != nil {
		return nil, err
	}
	return &Webhooks{d: u.d, read: read, update: u}, nil
}

// Close closes the connections. It must not be called for the webhooks of a [Store].
func (w *Webhooks) Close() error { return errors.Join(w.read.Close(), w.update.db.Close()) }

func (w *Webhooks) wrap(what string, err error) error {
	if err == nil || errors.Is(err, ErrNoDelivery) || errors.Is(err, ErrChanged) {
		return err
	}
	return fmt.Errorf("%s in %s: %w", what, w.d, w.d.Explain(err))
}

func (w *Webhooks) change(ctx context.Context, what string, do func(context.Context, *sql.Tx) error) error {
	return w.wrap(what, w.update.change(ctx, dialect.BusyTimeout, do))
}

// Known returns the names of the webhooks that are known, sorted.
func (w *Webhooks) Known(ctx context.Context) (names []string, err error) {
	list, err := w.list(ctx, `event = $1 ORDER BY hook`, addedEvent)
	for _, d := range list {
		names = append(names, d.Hook)
	}
	return names, err
}

// Add makes webhooks known. If none is known yet, what has happened until now is not sent to
// anyone. It does nothing for those that are known.
func (w *Webhooks) Add(ctx context.Context, hooks []string) error {
	known, err := w.Known(ctx)
	if err != nil || !slices.ContainsFunc(hooks, func(h string) bool { return !slices.Contains(known, h) }) {
		return err
	}
	return w.change(ctx, "add webhooks", func(ctx context.Context, tx *sql.Tx) error {
		if len(known) == 0 {
			for _, text := range []string{
				`DELETE FROM webhook_positions`,
				`INSERT INTO webhook_positions (contest, position) SELECT number, coalesce((SELECT max(e.number) FROM contest_events e WHERE e.contest = contests.number), 0) FROM contests`,
				fmt.Sprintf(`INSERT INTO webhook_positions (contest, position) VALUES (%d, 0)`, turnedOn),
			} {
				if _, err := tx.ExecContext(ctx, text); err != nil {
					return err
				}
			}
		}
		for _, h := range hooks {
			one := Delivery{ID: addedEvent, Hook: h, Event: addedEvent, Body: "{}", Created: time.Now()}
			if err := addDelivery(ctx, tx, &one); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget makes all webhooks unknown, so that no more messages are made. What waits for them
// stays.
func (w *Webhooks) Forget(ctx context.Context) error {
	const what = "forget the webhooks"
	var on bool
	if err := w.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhook_positions)`).Scan(&on); err != nil || !on {
		return w.wrap(what, err)
	}
	return w.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM webhook_positions`)
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE event = $1 OR hook = ''`, addedEvent)
		}
		return err
	})
}

// Contests returns the contests with events from which no messages were made, in the order
// in which they were created.
func (w *Webhooks) Contests(ctx context.Context) (list []ContestNews, err error) {
	defer func() { err = w.wrap("look for news of contests", err) }()
	rows, err := w.read.QueryContext(ctx, fmt.Sprintf(`SELECT c.number, c.name, c.game, c.spec, c.seed, c.created, coalesce(p.position, %d)
		FROM contests c LEFT JOIN webhook_positions p ON p.contest = c.number
		WHERE p.position IS NULL OR EXISTS (SELECT 1 FROM contest_events e WHERE e.contest = c.number AND e.number > p.position)
		ORDER BY c.number`, unannounced))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one ContestNews
		var seed, created int64
		if err := rows.Scan(&one.Number, &one.Name, &one.Game, &one.Spec, &seed, &created, &one.Position); err != nil {
			return nil, err
		}
		one.Seed, one.Created = uint64(seed), time.Unix(0, created).UTC()
		list = append(list, one)
	}
	return list, rows.Err()
}

// AddOfContest adds the messages that were made from the events of a contest up to the one
// with the number to. It returns ErrChanged if they were made by somebody else, or if the
// contest was removed.
func (w *Webhooks) AddOfContest(ctx context.Context, n *ContestNews, to int64, messages []Delivery) error {
	return w.change(ctx, "add messages of the contest "+n.Name, func(ctx context.Context, tx *sql.Tx) error {
		text, args := `UPDATE webhook_positions SET position = $1 WHERE contest = $2 AND position = $3 AND EXISTS (SELECT 1 FROM contests WHERE number = $2)`, []any{to, n.Number, n.Position}
		if n.Position == unannounced {
			text = `INSERT INTO webhook_positions (position, contest) SELECT CAST($1 AS bigint), number FROM contests WHERE number = $2 ON CONFLICT DO NOTHING`
			args = args[:2]
		}
		moved, err := changed(tx.ExecContext(ctx, text, args...))
		if err == nil && !moved {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		return addDeliveries(ctx, tx, messages)
	})
}

// Programs returns the oldest messages about programs that are not yet ones for each webhook.
func (w *Webhooks) Programs(ctx context.Context) (news []ProgramNews, err error) {
	list, err := w.list(ctx, `hook = '' AND next IS NOT NULL ORDER BY number LIMIT 100`)
	for _, d := range list {
		one := ProgramNews{Number: d.Number, ID: d.ID, Event: d.Event, At: d.Created}
		if err := json.Unmarshal([]byte(d.Body), &one.Program); err != nil {
			return nil, w.wrap("read a message about a program", err)
		}
		news = append(news, one)
	}
	return news, err
}

// AddOfProgram adds the messages that were made from one about a program. It returns
// ErrChanged if they were made by somebody else.
func (w *Webhooks) AddOfProgram(ctx context.Context, number int64, messages []Delivery) error {
	return w.change(ctx, "add messages about a program", func(ctx context.Context, tx *sql.Tx) error {
		taken, err := changed(tx.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE number = $1 AND hook = ''`, number))
		if err == nil && !taken {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
		return addDeliveries(ctx, tx, messages)
	})
}

// announceProgram adds a message about a program, in the transaction of what has happened to
// it, if any webhook is known.
func announceProgram(ctx context.Context, tx *sql.Tx, event string, s *Submission) error {
	body, err := json.Marshal(ProgramEvent{s.Player, s.Game, s.Version, s.Fault, s.Reason})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO webhook_deliveries (id, hook, event, body, created, next, tries, status, problem)
		SELECT $1, '', $2, $3, CAST($4 AS bigint), CAST($4 AS bigint), 0, 0, '' WHERE EXISTS (SELECT 1 FROM webhook_positions WHERE contest = %d)`, turnedOn),
		"msg_"+rand.Text(), event, string(body), time.Now().UnixNano())
	return err
}

// addDeliveries adds messages to what waits for their webhooks.
func addDeliveries(ctx context.Context, tx *sql.Tx, list []Delivery) error {
	waiting := map[string]int{}
	for i := range list {
		d := &list[i]
		if _, ok := waiting[d.Hook]; !ok {
			var n int
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM webhook_deliveries WHERE hook = $1 AND next IS NOT NULL`, d.Hook).Scan(&n); err != nil {
				return err
			}
			waiting[d.Hook] = n
		}
		one := *d
		if waiting[d.Hook]++; waiting[d.Hook] > maxWaiting {
			one.Next, one.Problem = time.Time{}, fmt.Sprintf("given up: %d messages wait for this webhook", maxWaiting)
		}
		if err := addDelivery(ctx, tx, &one); err != nil {
			return err
		}
	}
	return nil
}

// addDelivery adds a message unless its webhook has it.
func addDelivery(ctx context.Context, tx *sql.Tx, d *Delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, hook, event, body, created, next, tries, status, problem)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (hook, id) DO NOTHING`,
		d.ID, d.Hook, d.Event, d.Body, nanos(d.Created), toNanos(d.Next), d.Tries, d.Status, short(d.Problem))
	return err
}

// Log adds a message that was sent once, and is not tried again.
func (w *Webhooks) Log(ctx context.Context, d *Delivery) error {
	return w.change(ctx, "log a message", func(ctx context.Context, tx *sql.Tx) error { return addDelivery(ctx, tx, d) })
}

// Due returns messages for a webhook that are to be sent now, at most as many as the limit.
func (w *Webhooks) Due(ctx context.Context, hook string, now time.Time, limit int) ([]Delivery, error) {
	return w.list(ctx, `hook = $1 AND next <= $2 ORDER BY next, number LIMIT `+fmt.Sprint(limit), hook, nanos(now))
}

// Waiting returns how many messages wait for a webhook, and when the next one is to be sent;
// zero: none waits.
func (w *Webhooks) Waiting(ctx context.Context, hook string) (count int, next time.Time, err error) {
	var at sql.NullInt64
	err = w.read.QueryRowContext(ctx, `SELECT count(*), min(next) FROM webhook_deliveries WHERE hook = $1 AND next IS NOT NULL`, hook).Scan(&count, &at)
	if at.Valid {
		next = time.Unix(0, at.Int64).UTC()
	}
	return count, next, w.wrap("count the messages of a webhook", err)
}

// Tried stores the result of a try: the fields of the delivery after Created. It does nothing
// for one that was removed.
func (w *Webhooks) Tried(ctx context.Context, d *Delivery) error {
	return w.change(ctx, fmt.Sprintf("store the result of message %d", d.Number), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET next = $1, tries = $2, status = $3, problem = $4 WHERE number = $5`,
			toNanos(d.Next), d.Tries, d.Status, short(d.Problem), d.Number)
		return err
	})
}

// Retry has a message sent again now, or returns ErrNoDelivery.
func (w *Webhooks) Retry(ctx context.Context, number int64) error {
	return w.change(ctx, fmt.Sprintf("send message %d again", number), func(ctx context.Context, tx *sql.Tx) error {
		again, err := changed(tx.ExecContext(ctx, `UPDATE webhook_deliveries SET next = $1 WHERE number = $2 AND hook <> '' AND event <> $3`,
			time.Now().UnixNano(), number, addedEvent))
		if err == nil && !again {
			err = ErrNoDelivery
		}
		return err
	})
}

// List returns the last messages of a webhook, or of all if the name is empty, the newest
// first.
func (w *Webhooks) List(ctx context.Context, hook string, limit int) ([]Delivery, error) {
	return w.list(ctx, `hook <> '' AND ($1 = '' OR hook = $1) AND event <> $2 ORDER BY number DESC LIMIT `+fmt.Sprint(limit), hook, addedEvent)
}

// Purge removes messages that were delivered or given up long ago, and the positions of
// contests that were removed.
func (w *Webhooks) Purge(ctx context.Context, now time.Time) error {
	const old, gone = `next IS NULL AND created < $1 AND event <> $2`, `contest <> 0 AND contest NOT IN (SELECT number FROM contests)`
	const what = "remove old messages"
	var some bool
	if err := w.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhook_deliveries WHERE `+old+`) OR EXISTS (SELECT 1 FROM webhook_positions WHERE `+gone+`)`,
		nanos(now.Add(-keptFor)), addedEvent).Scan(&some); err != nil || !some {
		return w.wrap(what, err)
	}
	return w.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		// Few at a time, so that the end of a match never waits long.
		_, err := tx.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE number IN (SELECT number FROM webhook_deliveries WHERE `+old+` LIMIT 500)`,
			nanos(now.Add(-keptFor)), addedEvent)
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM webhook_positions WHERE `+gone)
		}
		return err
	})
}

func (w *Webhooks) list(ctx context.Context, which string, args ...any) (list []Delivery, err error) {
	defer func() { err = w.wrap("read the messages of webhooks", err) }()
	rows, err := w.read.QueryContext(ctx, `SELECT number, id, hook, event, body, created, next, tries, status, problem FROM webhook_deliveries WHERE `+which, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d Delivery
		var created int64
		var next sql.NullInt64
		if err := rows.Scan(&d.Number, &d.ID, &d.Hook, &d.Event, &d.Body, &created, &next, &d.Tries, &d.Status, &d.Problem); err != nil {
			return nil, err
		}
		if d.Created = time.Unix(0, created).UTC(); next.Valid {
			d.Next = time.Unix(0, next.Int64).UTC()
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// short returns the first bytes of a problem.
func short(problem string) string {
	return strings.ToValidUTF8(problem[:min(len(problem), maxProblem)], "")
}
