package store

import (
	"errors"
	"slices"
	"testing"
)

func TestDetailsAreSetWithTheirPlayersOrNotAtAll(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		add(t, p, "Ana", "bob")
		ctx := t.Context()
		want := func(of ...string) { // names, real names and classes
			t.Helper()
			list, err := p.List(ctx)
			var got []string
			for _, one := range list {
				got = append(got, one.Name, one.RealName, one.Class)
			}
			if err != nil || !slices.Equal(got, of) {
				t.Errorf("got %q, %v, want %q", got, err, of)
			}
		}
		if err := p.Import(ctx, newcomer("cid"), []Details{{"cid", new("Cid Žák"), nil}, {"ANA", nil, new("4b")}}); err != nil {
			t.Fatal(err)
		}
		want("Ana", "", "4b", "bob", "", "", "cid", "Cid Žák", "")
		var unknown *UnknownError
		if err := p.Import(ctx, newcomer("eve"), []Details{{"eve", nil, new("4b")}, {"zoe", nil, new("4b")}}); !errors.As(err, &unknown) || !slices.Equal(unknown.Names, []string{"zoe"}) {
			t.Errorf("got %v, want zoe to be unknown", err)
		}
		var taken *TakenError
		if err := p.Import(ctx, newcomer("BOB"), []Details{{"ana", nil, new("4c")}}); !errors.As(err, &taken) {
			t.Errorf("got %v, want bob to be taken", err)
		}
		want("Ana", "", "4b", "bob", "", "", "cid", "Cid Žák", "")
		if err := p.Import(ctx, nil, []Details{{"cid", new(""), new("4b")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Remove(ctx, []string{"ANA"}); err != nil {
			t.Fatal(err)
		}
		want("Ana", "", "", "bob", "", "", "cid", "", "4b")
	})
}
