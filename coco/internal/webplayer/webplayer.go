// Package webplayer lets a web service play matches: it gets each question as a request,
// and its reply has the answer.
package webplayer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"colosseum/coco/internal/agent"
	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"
)

const (
	// maxReply limits the body of a reply, in bytes.
	maxReply = 256 << 10
	// edge is the time for start and for end.
	edge = time.Minute
	// dialLimit is the time to connect, after which another attempt begins.
	dialLimit = 5 * time.Second

	firstDelay = 100 * time.Millisecond
	maxDelay   = 2 * time.Second
)

// Service is a web service that plays. Its methods can be called concurrently.
type Service struct {
	base   *url.URL
	origin string // of the server of matches
	client *http.Client
}

// New returns the service at a URL. origin is that of the server of matches.
func New(address, origin string) (*Service, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, locale.Errorf("%q is not the URL of a web service: it is like http://127.0.0.1:8000/", address)
	}
	if rest, ok := strings.CutPrefix(origin, "ws"); ok { // and wss becomes https
		origin = "http" + rest
	}
	return &Service{base: u, origin: origin, client: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: dialLimit}).DialContext,
			TLSHandshakeTimeout: dialLimit, MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// About describes the match in each request.
type About struct {
	Match string `json:"match"`
	Game  string `json:"game"`
}

// Start is the body of POST start.
type Start struct {
	About
	Name    string            `json:"name"`  // of the player
	Names   []string          `json:"names"` // of the players that are not bots
	Players int               `json:"players"`
	Bots    int               `json:"bots"`
	Args    map[string]string `json:"args"`
	Timeout float64           `json:"timeout"` // seconds for an answer
	Clock   *protocol.Clock   `json:"clock,omitempty"`
	Rules   string            `json:"rules,omitempty"` // URL of the description, in JSON
}

// Move is the body of POST move.
type Move struct {
	About
	Text string `json:"text"` // of the game since the last question
	protocol.MatchQuestion
}

// Reply is the body of the reply to POST move.
type Reply struct {
	Answer *string `json:"answer"`
	Note   string  `json:"note"` // for the record
}

// End is the body of POST end.
type End struct {
	About
	Text   string                `json:"text"` // of the game since the last question
	Result *protocol.MatchResult `json:"result"`
	Error  string                `json:"error,omitempty"` // why there is no result
}

// Play plays a match, which needs what agent.Join needs, to its end. Its error is that of
// the match, or a player.Failed if the service fails; then it leaves the match.
func (s *Service) Play(ctx context.Context, m *match.Match) (err error) {
	defer func() { m.Finish(err) }()
	seat, err := agent.Join(ctx, m)
	if err != nil {
		return err
	}
	started, asked := false, false
	for {
		turn := seat.Wait(ctx)
		about := About{Match: seat.ID(), Game: turn.Info.Game}
		if !started && (turn.Question != nil || turn.Result != nil) {
			started = true
			if err := s.start(ctx, seat, about, turn); err != nil {
				seat.Leave()
				return s.failed(ctx, err)
			}
		}
		switch {
		case turn.Over:
			if started {
				s.end(ctx, about, turn, m.Print)
			}
			if !asked && turn.Err == nil && forfeited(turn.Result, seat.Name()) {
				return &player.Failed{Text: locale.Errorf("the server sent no questions: the contest of the match does not allow legal answers (hints: false)")}
			}
			return turn.Err
		case ctx.Err() != nil:
			seat.Leave()
			return context.Cause(ctx)
		case turn.Question == nil:
			continue
		}
		asked = true
		if err := s.move(ctx, m, seat, about, turn); err != nil {
			seat.Leave()
			return s.failed(ctx, err)
		}
	}
}

// forfeited reports whether the player with that name forfeited.
func forfeited(r *protocol.MatchResult, name string) bool {
	return r != nil && slices.ContainsFunc(r.Players, func(p protocol.PlayerResult) bool {
		return p.Name == name && strings.HasPrefix(p.Ended, protocol.Forfeit)
	})
}

func (s *Service) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &player.Failed{Text: err}
}

func (s *Service) start(ctx context.Context, seat *agent.Seat, about About, turn agent.Turn) error {
	i := turn.Info
	body := Start{
		About: about, Name: seat.Name(), Names: append([]string{}, i.Connected...), Players: i.Players, Bots: i.Bots, Args: i.Args,
		Timeout: i.Timeout, Clock: i.Clock,
	}
	if strings.HasPrefix(s.origin, "http") { // not with a Unix socket
		body.Rules = s.origin + "/api/games/" + url.PathEscape(i.Game)
	}
	limit := edge
	if q := turn.Question; q != nil && !q.Tick {
		limit = min(limit, rest(turn)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := s.post(ctx, "start", body)
	return err
}

// end reports the end. The match is over, so a failure is no more than a remark.
func (s *Service) end(ctx context.Context, about About, turn agent.Turn, print *terminal.Printer) {
	body := End{About: about, Text: text(turn), Result: turn.Result}
	if turn.Err != nil {
		body.Error = turn.Err.Error()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), edge)
	defer cancel()
	if _, err := s.post(ctx, "end", body); err != nil {
		print.Line("%v", err)
	}
}

// rest returns the time that the player has for the question of a turn.
func rest(turn agent.Turn) time.Duration {
	return time.Until(turn.Asked.Add(time.Duration(turn.Question.Seconds * float64(time.Second))))
}

func text(turn agent.Turn) string { return strings.ToValidUTF8(string(turn.Text), "\uFFFD") }

// move asks the service, and answers the question.
func (s *Service) move(ctx context.Context, m *match.Match, seat *agent.Seat, about About, turn agent.Turn) error {
	q := *turn.Question
	q.Answers = append([]string{}, q.Answers...) // never null
	limited, cancel := context.WithTimeout(ctx, rest(turn))
	defer cancel()
	reply, err := s.post(limited, "move", Move{About: about, Text: text(turn), MatchQuestion: q})
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		m.Print.Line("%v", err)
		seat.Skip(q.Number) // the host decides what follows
		return nil
	case err != nil:
		return err
	}
	var r Reply
	if err := json.Unmarshal(reply, &r); err != nil || r.Answer == nil {
		return locale.Errorf(`the service answered move with %q, not with {"answer":"…"}`, short(reply))
	}
	_, err = seat.Answer(ctx, *r.Answer, q.Number, r.Note)
	if errors.Is(err, agent.ErrNotAsked) || errors.Is(err, agent.ErrOver) {
		return nil // a tick or the match has ended
	}
	return err
}

// post sends a request until it succeeds, or ctx ends: one clock runs over all attempts.
func (s *Service) post(ctx context.Context, what string, body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	address := s.base.JoinPath(what).String()
	for delay := firstDelay; ; delay = min(2*delay, maxDelay) {
		reply, again, err := s.attempt(ctx, address, b)
		if err == nil {
			return reply, nil
		}
		err = locale.Errorf("the service failed at %s: %w", what, err)
		if !again {
			return nil, err
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		}
	}
}

// attempt sends a request once. again reports whether another attempt can help.
func (s *Service) attempt(ctx context.Context, address string, body []byte) (reply []byte, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(r)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // without the URL, which can have a password
		}
		return nil, true, err
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch code := resp.StatusCode; {
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return nil, true, status(resp, reply)
	case code/100 != 2:
		return nil, false, status(resp, reply)
	case err != nil:
		return nil, true, err
	case len(reply) > maxReply:
		return nil, false, locale.Errorf("the answer is longer than %d KiB", maxReply>>10)
	}
	return reply, false, nil
}

func status(resp *http.Response, reply []byte) error {
	text := cmp.Or(short(reply), resp.Header.Get("Location"))
	return fmt.Errorf("%s %q", resp.Status, text)
}

// short returns the beginning of a reply.
func short(reply []byte) string {
	const most = 200
	if len(reply) > most {
		reply = append(bytes.Clone(reply[:most]), "…"...)
	}
	return strings.ToValidUTF8(string(reply), "\uFFFD")
}
