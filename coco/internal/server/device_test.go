package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// deviceServer answers a login with these answers to polls, one after the other.
func deviceServer(t *testing.T, login string, answers ...string) *API {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var form map[string]string
		if err := json.NewDecoder(r.Body).Decode(&form); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got the request %v, %v, want JSON", form, err)
		}
		if r.URL.Path == "/api/device" {
			fmt.Fprint(w, login)
			return
		}
		if form["device_code"] != "secret" {
			t.Errorf("got %v, want the device code", form)
		}
		answer := answers[0]
		answers = answers[1:]
		if word, ok := strings.CutPrefix(answer, "error "); ok {
			w.WriteHeader(http.StatusBadRequest)
			answer = fmt.Sprintf(`{"error":%q}`, word)
		}
		if answer == "fails" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	addr, err := ParseAddress("ws" + strings.TrimPrefix(s.URL, "http"))
	if err != nil {
		t.Fatal(err)
	}
	return &API{Addr: addr}
}

const someLogin = `{"device_code":"secret","user_code":"BCDF-GHJK","verification_uri":"http://x/device","verification_uri_complete":"http://x/device?code=BCDF-GHJK","expires_in":60,"interval":5}`

func TestAProgramWaitsUntilThePersonHasAnswered(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []string
		token   string
		refused string
		pauses  []time.Duration // seconds
	}{
		{"allowed", []string{"error authorization_pending", `{"token":"coco_x","player":"ann"}`}, "coco_x", "", []time.Duration{5, 5}},
		{"slower", []string{"error slow_down", "error authorization_pending", `{"token":"coco_x"}`}, "coco_x", "", []time.Duration{5, 10, 10}},
		{"a break of the server", []string{"fails", `{"token":"coco_x"}`}, "coco_x", "", []time.Duration{5, 10}},
		{"denied", []string{"error access_denied"}, "", "denied", []time.Duration{5}},
		{"expired", []string{"error expired_token"}, "", "in time", []time.Duration{5}},
		{"another refusal", []string{"error no"}, "", "no", []time.Duration{5}},
		{"never", slices.Repeat([]string{"error authorization_pending"}, 12), "", "in time", slices.Repeat([]time.Duration{5}, 12)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := deviceServer(t, someLogin, tt.answers...)
			login, err := a.AskDevice(t.Context(), "coco")
			if err != nil {
				t.Fatal(err)
			}
			var pauses []time.Duration
			token, err := a.AwaitDevice(t.Context(), login, func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d/time.Second)
				return nil
			})
			if token != tt.token || (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) || !slices.Equal(pauses, tt.pauses) {
				t.Errorf("got %q, %v after %v, want %q, %q after %v", token, err, pauses, tt.token, tt.refused, tt.pauses)
			}
			if refused := new(Refused); tt.refused != "" && !errors.As(err, &refused) {
				t.Errorf("got %T, want a *Refused", err)
			}
		})
	}
}

func TestCodesThatATerminalCannotShowAreRefused(t *testing.T) {
	for _, login := range []string{"{}", "no", strings.Replace(someLogin, "BCDF-GHJK", `\u001b[2J`, 1), strings.Replace(someLogin, "http://x/device\"", `http://x/\n\"`, 1)} {
		if _, err := deviceServer(t, login).AskDevice(t.Context(), "coco"); err == nil {
			t.Errorf("%s: got nil, want an error", login)
		}
	}
}

func TestAnEndedContextEndsTheWait(t *testing.T) {
	want := errors.New("ended")
	if _, err := deviceServer(t, someLogin).AwaitDevice(t.Context(), DeviceLogin{Expires: 60}, func(context.Context, time.Duration) error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
