package players

import (
	"context"
	"fmt"
	"strings"

	"colosseum/host/internal/records/store"
)

// Issued is a player's new token. The host cannot read it again.
type Issued struct{ Name, Token string }

// Problem describes why one name of a list cannot be registered.
type Problem struct {
	Index int // of the name
	Text  string
}

// ProblemsError is the error of Add: all problems, by index.
type ProblemsError []Problem

func (e ProblemsError) Error() string {
	var texts []string
	for _, p := range e {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "; ")
}

// Add registers players for the operator, in any mode and without limits. It
// registers all, or none and returns a ProblemsError, or another error of the store.
func (r *Registry) Add(ctx context.Context, names []string) ([]Issued, error) {
	list := &List{}
	for _, name := range names {
		list.Entries = append(list.Entries, Entry{Name: name})
	}
	issued, _, err := r.Import(ctx, list, false)
	return issued, err
}

// check returns why names cannot be registered, by their indexes.
func (r *Registry) check(ctx context.Context, names []string) (problems ProblemsError, err error) {
	first := map[string]int{} // the index of each name in lower case
	for i, name := range names {
		switch earlier, again := first[strings.ToLower(name)]; {
		case !ValidName(name):
			problems = append(problems, Problem{i, fmt.Sprintf("%q: %v", name, ErrName)})
			continue
		case r.reserved(name):
			problems = append(problems, Problem{i, fmt.Sprintf("%s: the setting players.reserved reserves this name", name)})
		case again:
			problems = append(problems, Problem{i, fmt.Sprintf("%s: the list has this name twice (also as %s)", name, names[earlier])})
		default:
			owner, err := r.store.Owner(ctx, name)
			if err != nil {
				return nil, err
			}
			if owner != "" {
				problems = append(problems, Problem{i, fmt.Sprintf("%s: %s", name, takenBy(owner))})
			}
			first[strings.ToLower(name)] = i
		}
	}
	return problems, nil
}

// takenNames returns the problems of names that others have registered in between.
func takenNames(names []string, taken *store.TakenError) (problems ProblemsError) {
	for _, owner := range taken.Names {
		for i, name := range names {
			if strings.EqualFold(name, owner) {
				problems = append(problems, Problem{i, fmt.Sprintf("%s: %s", name, takenBy(owner))})
			}
		}
	}
	return problems
}

func takenBy(owner string) string {
	return fmt.Sprintf("the player %s exists, or has existed; host players reset %[1]s gives it a new token", owner)
}

// Reset gives players, also removed ones, new tokens: all of them, or none. The old
// tokens are no longer valid.
func (r *Registry) Reset(ctx context.Context, names []string) ([]Issued, error) {
	for i, name := range names {
		if containsFold(names[:i], name) {
			return nil, fmt.Errorf("%s is named twice, and only one of its tokens would be valid", name)
		}
	}
	issued, list := issue(names)
	registered, err := r.store.Reset(ctx, list)
	if err != nil {
		return nil, err
	}
	for i, name := range registered {
		issued[i].Name = name
	}
	return issued, nil
}

func issue(names []string) (issued []Issued, list []store.NewPlayer) {
	for _, name := range names {
		token := newToken()
		issued = append(issued, Issued{name, token})
		list = append(list, store.NewPlayer{Name: name, Token: hash(token)})
	}
	return issued, list
}

// Remove deletes the tokens of players: of all, or of none. Their names are never
// given to others.
func (r *Registry) Remove(ctx context.Context, names []string) (removed []string, err error) {
	return r.store.Remove(ctx, names)
}

// List returns all players, by name.
func (r *Registry) List(ctx context.Context) ([]store.Player, error) { return r.store.List(ctx) }

// Invite returns the codes of n new invitations, each for one registration.
func (r *Registry) Invite(ctx context.Context, n int) ([]string, error) {
	var codes []string
	var hashes []store.Secret
	for range n {
		code := newInvite()
		codes = append(codes, code)
		hashes = append(hashes, hashInvite(code))
	}
	if err := r.store.AddInvites(ctx, hashes); err != nil {
		return nil, err
	}
	return codes, nil
}
