package web

import (
	"context"
	"strings"
	"time"

	"colosseum/host/internal/contests/players"
	"colosseum/protocol"
)

// loginsEvery is the time between two looks at the tokens of all players that are
// connected: other processes change them.
const loginsEvery = time.Second

// EndLogins closes the connections of players whose tokens were replaced or removed, until
// ctx ends. Those on which renamed players serve have to connect again; their matches, and all
// other connections, go on under the old name.
func (s *Server) EndLogins(ctx context.Context) {
	ticks := time.NewTicker(loginsEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			s.endLogins(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) endLogins(ctx context.Context) {
	var logins []players.Login
	sessions := map[players.Login][]*session{}
	for _, sess := range s.all() {
		sess.mu.Lock()
		login := sess.loggedIn
		sess.mu.Unlock()
		if login == nil || sess.out.Closing() {
			continue
		}
		if sessions[*login] == nil {
			logins = append(logins, *login)
		}
		sessions[*login] = append(sessions[*login], sess)
	}
	if len(logins) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	valid, err := s.players.Valid(ctx, logins)
	if err != nil {
		return // it is logged, and a token that was valid stays so
	}
	for _, login := range logins {
		name, ok := valid[login]
		for _, sess := range sessions[login] {
			if ok {
				if !strings.EqualFold(name, sess.player) && sess.serves() {
					sess.log().Info("ended the connection on which a renamed player serves", "player", name, "before", sess.player)
					s.desk.Leave(sess, sess.player)
					sess.out.Close(protocol.CloseShutdown, "the player has another name now: connect again")
				}
				continue
			}
			sess.log().Info("ended the connection of a player whose token was replaced or removed", "player", sess.player)
			s.desk.Leave(sess, sess.player)
			sess.out.Close(errToken.code, errToken.text)
		}
	}
}

// serves reports whether the session offers its player for matches, to this host or through
// a relay.
func (s *session) serves() bool {
	s.mu.Lock()
	state, u := s.state, s.upstream
	s.mu.Unlock()
	return state == offered || state == relayed && u != nil && u.Serves()
}
