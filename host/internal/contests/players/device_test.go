package players

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func (f *setup) ask(t *testing.T, client string) DeviceLogin {
	t.Helper()
	login, err := f.AskDevice(context.Background(), "a", client)
	if err != nil {
		t.Fatal(err)
	}
	return login
}

func (f *setup) wantPoll(t *testing.T, login DeviceLogin, player string, want error) (token string) {
	t.Helper()
	got, token, err := f.PollDevice(context.Background(), login.Device)
	if got != player || (token != "") != (want == nil) || !errors.Is(err, want) {
		t.Errorf("got %q, %v, want %q, %v", got, err, player, want)
	}
	return token
}

func TestAProgramLogsInWhenAPersonAllowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		f.register(t, "Ann")
		login := f.ask(t, "coco on laptop")
		if !regexp.MustCompile(`^[BCDFGHJ-NP-TV-XZ]{4}-[BCDFGHJ-NP-TV-XZ]{4}$`).MatchString(login.User) || len(login.Device) < 40 {
			t.Errorf("got %+v, want a code without vowels and a secret", login)
		}
		f.wantPoll(t, login, "", ErrPending)
		time.Sleep(DeviceInterval - 2*deviceSlack)
		f.wantPoll(t, login, "", ErrSlowDown)
		time.Sleep(DeviceInterval - deviceSlack/2)
		f.wantPoll(t, login, "", ErrPending)
		typed := strings.ToLower(" " + strings.ReplaceAll(login.User, "-", " - "))
		if got, err := f.Asks(t.Context(), "a", typed); err != nil || got != (Asking{"coco on laptop", "a"}) {
			t.Errorf("got %+v, %v, want the program", got, err)
		}
		if err := f.AnswerDevice(t.Context(), "a", typed, "Ann"); err != nil {
			t.Fatal(err)
		}
		if err := f.AnswerDevice(t.Context(), "a", typed, ""); !errors.Is(err, ErrCode) {
			t.Errorf("a second answer: got %v, want %v", err, ErrCode)
		}
		token := f.wantPoll(t, login, "Ann", nil)
		f.wantLogin(t, "a", token, "Ann", nil)
		f.wantPoll(t, login, "", ErrExpired)
		if list, err := f.Tokens(t.Context(), "Ann"); len(list) != 1 || err != nil || list[0].Label != "coco on laptop" {
			t.Errorf("got %+v, %v, want the token of the program", list, err)
		}
	})
}

func TestAProgramThatIsDeniedOrLateDoesNotLogIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		f.register(t, "Ann")
		denied, late := f.ask(t, ""), f.ask(t, "")
		if err := f.AnswerDevice(t.Context(), "a", denied.User, ""); err != nil {
			t.Fatal(err)
		}
		f.wantPoll(t, denied, "", ErrDenied)
		time.Sleep(DeviceLife)
		if err := f.AnswerDevice(t.Context(), "a", late.User, "Ann"); !errors.Is(err, ErrCode) {
			t.Errorf("got %v, want %v", err, ErrCode)
		}
		f.wantPoll(t, late, "", ErrExpired)
		f.wantPoll(t, DeviceLogin{Device: "unknown"}, "", ErrExpired)
	})
}

func TestUserCodesCannotBeGuessed(t *testing.T) {
	f := open(t, Settings{Registration: Open, Guesses: 3})
	defer f.file.Close()
	login := f.ask(t, "")
	for i, code := range []string{"", "BBBB-BBBB", "AEIOUAEI"} {
		if _, err := f.Asks(t.Context(), "a", code); !errors.Is(err, ErrCode) {
			t.Errorf("guess %d: got %v, want %v", i, err, ErrCode)
		}
	}
	if _, err := f.Asks(t.Context(), "a", login.User); !errors.Is(err, ErrTooMany) {
		t.Errorf("the right code after that: got %v, want %v", err, ErrTooMany)
	}
	if err := f.AnswerDevice(t.Context(), "a", login.User, "Ann"); !errors.Is(err, ErrTooMany) {
		t.Errorf("the right code after that: got %v, want %v", err, ErrTooMany)
	}
	if _, err := f.Asks(t.Context(), "b", login.User); err != nil {
		t.Errorf("another address: got %v, want nil", err)
	}
}

func TestAProgramDescribesItselfInPlainLetters(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	f.register(t, "Ann")
	for client, want := range map[string]string{
		"": "", "  coco\u202e\n on x\x00 ": "coco on x", strings.Repeat("x", 100): strings.Repeat("x", maxLabel),
	} {
		login := f.ask(t, client)
		if got, err := f.Asks(t.Context(), "a", login.User); err != nil || got.Client != want {
			t.Errorf("%q: got %q, %v, want %q", client, got.Client, err, want)
		}
		if err := f.AnswerDevice(t.Context(), "a", login.User, "Ann"); err != nil {
			t.Fatal(err)
		}
		f.wantPoll(t, login, "Ann", nil)
	}
}
