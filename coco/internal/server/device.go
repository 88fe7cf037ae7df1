package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"colosseum/internal/locale"
)

// DeviceLogin is a login that a person has to allow on a page of the server (RFC 8628).
type DeviceLogin struct {
	Device   string `json:"device_code"`               // the secret with which the token is asked for
	User     string `json:"user_code"`                 // what the person types
	Page     string `json:"verification_uri"`          // where
	Whole    string `json:"verification_uri_complete"` // the page with the code
	Expires  int    `json:"expires_in"`                // seconds
	Interval int    `json:"interval"`                  // seconds between two requests for the token
}

const (
	// minInterval and slowDown are as RFC 8628, 3.5 has them.
	minInterval = time.Second
	slowDown    = 5 * time.Second
)

// shown matches codes and addresses that can be printed on a terminal.
var shown = regexp.MustCompile(`^[!-~]{1,500}$`)

// AskDevice begins a login of a program that describes itself.
func (a *API) AskDevice(ctx context.Context, client string) (DeviceLogin, error) {
	var login DeviceLogin
	err := a.device(ctx, "api/device", map[string]string{"client": client}, &login)
	if err == nil && !(shown.MatchString(login.User) && shown.MatchString(login.Page) && shown.MatchString(login.Whole)) {
		err = notJSON()
	}
	return login, err
}

// AwaitDevice waits until the person has answered, and returns the token. Pause waits for a
// time, or until ctx ends.
func (a *API) AwaitDevice(ctx context.Context, login DeviceLogin, pause func(context.Context, time.Duration) error) (token string, err error) {
	interval := max(time.Duration(login.Interval)*time.Second, minInterval)
	for left := time.Duration(login.Expires) * time.Second; left > 0; left -= interval {
		if err := pause(ctx, interval); err != nil {
			return "", err
		}
		var answer struct {
			Token string `json:"token"`
		}
		err := a.device(ctx, "api/device/token", map[string]string{"device_code": login.Device}, &answer)
		if err == nil {
			return answer.Token, nil
		}
		status, _ := errors.AsType[*StatusError](err)
		_, lost := errors.AsType[*ConnectionError](err)
		switch {
		case status != nil && status.Text == "authorization_pending":
		case status != nil && status.Text == "slow_down", lost: // a server that does not answer is not asked more often
			interval += slowDown
		case status != nil && status.Text == "access_denied":
			return "", &Refused{Text: locale.Errorf("you have denied the login")}
		case status != nil && status.Text == "expired_token":
			return "", expired()
		default:
			return "", err
		}
	}
	return "", expired()
}

func expired() error {
	return &Refused{Text: locale.Errorf("nobody has allowed the login in time: try again")}
}

// device makes a request about a login. Its error has the *StatusError of a refusal.
func (a *API) device(ctx context.Context, path string, form map[string]string, answer any) error {
	body, err := json.Marshal(form)
	if err != nil {
		return err
	}
	text, err := a.call(ctx, request{method: http.MethodPost, path: &url.URL{Path: path}, body: body, most: maxRefusal, timeout: answerTimeout})
	if err != nil {
		return a.explained(err, locale.Errorf("cannot log in through a browser"), locale.Errorf("the server %s lets no program log in through a browser: give a token", a.Addr))
	}
	if json.Unmarshal(text, answer) != nil {
		return notJSON()
	}
	return nil
}
