package players

import (
	"context"
	"errors"
	"testing"
)

var ann = Identity{Issuer: "https://login.school.example", Subject: "0817"}

func (f *setup) wantIdentity(t *testing.T, id Identity, player string, want error) {
	t.Helper()
	if got, err := f.OfIdentity(context.Background(), id); got != player || !errors.Is(err, want) {
		t.Errorf("the player of %v: got %q, %v, want %q, %v", id, got, err, player, want)
	}
}

func (f *setup) wantNewcomer(t *testing.T, name, invite string, id Identity, want error) {
	t.Helper()
	if err := f.RegisterIdentity(context.Background(), "a", name, invite, id); !errors.Is(err, want) {
		t.Errorf("a registration of %q: got %v, want %v", name, err, want)
	}
}

func TestOnlyPeopleOfTheProviderRegisterWhereTheSettingSaysSo(t *testing.T) {
	f := open(t, Settings{Registration: OIDC, PerHour: 1})
	defer f.file.Close()
	f.wantRegistration(t, "a", "Eve", "", ErrOIDC)
	f.wantIdentity(t, ann, "", nil)
	f.wantNewcomer(t, "bad name", "", ann, ErrName)
	f.wantNewcomer(t, "Ann", "", ann, nil)
	f.wantNewcomer(t, "Bob", "", Identity{Issuer: ann.Issuer, Subject: "0818"}, nil) // the limit of an address does not apply
	f.wantNewcomer(t, "ann", "", Identity{Issuer: ann.Issuer, Subject: "0819"}, ErrTaken)
	f.wantNewcomer(t, "Second", "", ann, ErrIdentity)
	f.wantIdentity(t, ann, "Ann", nil)
	f.wantIdentity(t, Identity{Issuer: "https://other.example", Subject: ann.Subject}, "", nil)
}

func TestPeopleOfTheProviderRegisterAsTheSettingSays(t *testing.T) {
	f := open(t, Settings{Registration: Closed})
	defer f.file.Close()
	f.wantNewcomer(t, "Ann", "", ann, ErrClosed)
	f.SetSettings(Settings{Registration: Invite})
	f.wantNewcomer(t, "Ann", "wrong", ann, ErrInvite)
	codes, err := f.Invite(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	f.wantNewcomer(t, "Ann", codes[0], ann, nil)
	f.SetSettings(Settings{Registration: Open})
	f.wantNewcomer(t, "Bob", "", Identity{Issuer: ann.Issuer, Subject: "0818"}, nil)
}

func TestAPersonCanTakeAPlayerThatExists(t *testing.T) {
	f := open(t, Settings{Registration: Open})
	defer f.file.Close()
	f.register(t, "Ann")
	for _, want := range []error{nil, ErrIdentity} {
		if err := f.LinkIdentity(context.Background(), "Ann", ann); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	f.wantIdentity(t, ann, "Ann", nil)
}

func TestALoginOfABrowserEndsAndTheTokensOfProgramsStay(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	ctx := context.Background()
	first := f.register(t, "Ann")
	token, err := f.LogIn(ctx, "Ann")
	if err != nil {
		t.Fatal(err)
	}
	program, _ := f.mint(t, "Ann", "laptop", 0, All)
	f.wantLogin(t, "", token, "Ann", nil)
	for _, of := range []string{token, first, program} {
		f.LogOut(ctx, of)
	}
	f.wantLogin(t, "", token, "", ErrToken)
	f.wantLogin(t, "", first, "Ann", nil)
	f.wantLogin(t, "", program, "Ann", nil)
	for range MaxTokens + 5 { // the logins of a browser replace each other
		if _, err := f.LogIn(ctx, "Ann"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARemovedPlayerIsNotThatOfAnybody(t *testing.T) {
	f := open(t, Settings{Registration: OIDC})
	defer f.file.Close()
	ctx := context.Background()
	f.wantNewcomer(t, "Ann", "", ann, nil)
	if _, err := f.Remove(ctx, []string{"Ann"}); err != nil {
		t.Fatal(err)
	}
	f.wantIdentity(t, ann, "", ErrRemoved)
	f.wantNewcomer(t, "Another", "", ann, ErrIdentity)
	if _, err := f.Reset(ctx, []string{"Ann"}); err != nil {
		t.Fatal(err)
	}
	f.wantIdentity(t, ann, "Ann", nil)
}
