package site

import (
	"context"
	"net/http"
	"time"

	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
)

// maxDays bounds the life of a token.
const maxDays = 3650

// tokensAnswer are the tokens of a player beside that of its registration.
type tokensAnswer struct {
	Player string        `json:"player"`
	Most   int           `json:"most"`
	Tokens []tokenAnswer `json:"tokens"` // the oldest first
}

// tokenAnswer is a token without its secret, except in the answer to its creation.
type tokenAnswer struct {
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
}

// tokenForm is the request for a new token.
type tokenForm struct {
	Label  string          `json:"label"`
	Scopes []players.Scope `json:"scopes"`
	Days   int             `json:"days"` // 0: for ever
}

// mintAnswer is a new token. It cannot be shown again.
type mintAnswer struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// nameForm is the request for another name.
type nameForm struct {
	Name string `json:"name"`
}

// nameAnswer is the name that a player has now.
type nameAnswer struct {
	Player string `json:"player"`
}

func (s *shared) tokens(w http.ResponseWriter, r *http.Request) {
	player, err := s.authenticate(r, token(r), players.All)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		list, err := s.Players.Tokens(ctx, player)
		if err != nil {
			return func() { s.refusePlayer(w, err) }
		}
		return func() { sendPrivate(w, describeTokens(player, list)) }
	})
}

func describeTokens(player string, list []store.Token) tokensAnswer {
	a := tokensAnswer{Player: player, Most: players.MaxTokens, Tokens: []tokenAnswer{}}
	for _, t := range list {
		a.Tokens = append(a.Tokens, tokenAnswer{ID: t.ID, Label: t.Label, Scopes: orEmpty(t.Scopes), Created: t.Created, Seen: t.Seen, Expires: t.Expires})
	}
	return a
}

func (s *shared) mint(w http.ResponseWriter, r *http.Request) {
	var form tokenForm
	s.changeAccount(w, r, &form, func(ctx context.Context, player string) (any, error) {
		if form.Days < 0 || form.Days > maxDays {
			return nil, players.ErrLife
		}
		text, id, err := s.Players.Mint(ctx, player, form.Label, form.Scopes, time.Duration(form.Days)*24*time.Hour)
		return mintAnswer{id, text}, err
	})
}

func (s *shared) revoke(w http.ResponseWriter, r *http.Request) {
	s.changeAccount(w, r, &struct{}{}, func(ctx context.Context, player string) (any, error) {
		return struct{}{}, s.Players.Revoke(ctx, player, r.PathValue("id"))
	})
}

func (s *shared) rename(w http.ResponseWriter, r *http.Request) {
	var form nameForm
	s.changeAccount(w, r, &form, func(ctx context.Context, player string) (any, error) {
		return nameAnswer{form.Name}, s.Players.Rename(ctx, player, form.Name)
	})
}

// changeAccount answers with what f returns for the player of a request that changes its
// account, after it has read the request into form.
func (s *shared) changeAccount(w http.ResponseWriter, r *http.Request, form any, f func(ctx context.Context, player string) (any, error)) {
	if !read(w, r, form) {
		return
	}
	player, err := s.authenticate(r, token(r), players.All)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	answer, err := f(ctx, player)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	sendPrivate(w, answer)
}
