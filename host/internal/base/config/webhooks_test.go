package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWebhooksAreChecked(t *testing.T) {
	const club = "webhooks:\n- {name: club, secret_file: s, url: "
	for _, tt := range []struct{ name, text, want string }{
		{"no name", "webhooks: [{url: 'https://a.example', secret_file: s}]\n", `webhooks: number 1: the name "" is not 1 to 32`},
		{"name with a slash", "listen: x\nwebhooks: [{name: a/b}]\n", `line 2: webhooks: number 1: the name "a/b"`},
		{"same name", club + "'https://a.example'}\n- {name: club, secret_file: s, url: 'https://b.example'}\n", "webhooks: club is listed twice"},
		{"no url", club + "''}\n", "webhooks: club: url must be like https://"},
		{"another scheme", club + "'ftp://a.example/secret'}\n", "webhooks: club: url must be like https://"},
		{"url that cannot be parsed", club + "'https://a.example/%secret'}\n", "webhooks: club: url must be like https://"},
		{"password", club + "'https://a:secret@b.example'}\n", "webhooks: club: url must have neither a user"},
		{"http", club + "'http://a.example/secret'}\n", "webhooks: club: url must be https; http is allowed at a private address"},
		{"no secret", "webhooks: [{name: club, url: 'https://a.example'}]\n", "webhooks: club: secret_file is missing"},
		{"unknown event", club + "'https://a.example', events: [contest.begun]}\n", `webhooks: club: "contest.begun" is not one of contest.created, contest.started`},
		{"unknown key", club + "'https://a.example', event: []}\n", `unknown key "event" (did you mean "events"?)`},
		{"too many", "webhooks: [" + strings.Repeat("{name: a},", maxWebhooks+1) + "]\n", "webhooks: more than 20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "/secret") || strings.Contains(err.Error(), "%secret") {
				t.Errorf("got %v, want an error with %q and without the path", err, tt.want)
			}
		})
	}
	c, err := parse([]byte(club + "'http://127.0.0.1:9/secret', private: true, events: [contest.ended]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Webhooks[0]; !w.Wants("contest.ended") || w.Wants("contest.started") || w.Receiver() != "http://127.0.0.1:9" {
		t.Errorf("got %+v, want one event and the receiver http://127.0.0.1:9", w)
	}
	if !(&Webhook{}).Wants("contest.started") {
		t.Error("got no event for a webhook without a list, want all")
	}
}

func TestSecretOfAWebhookIsLongEnough(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"24 bytes", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", true},
		{"24 bytes and spaces", " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw \r\n", true},
		{"23 bytes", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaQ=\n", false},
		{"65 bytes", "whsec_" + strings.Repeat("AAAA", 21) + "AAA=\n", false},
		{"no prefix", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", false},
		{"not base64", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!!\n", false},
		{"two lines", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", false},
		{"empty", "", false},
	} {
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := (&Webhook{SecretFile: file}).ReadSecret()
		if (err == nil) != tt.ok || tt.ok && len(key) != 24 {
			t.Errorf("%s: got %d bytes, %v, want a key: %v", tt.name, len(key), err, tt.ok)
		}
		if err != nil && (strings.Contains(err.Error(), "MfKQ") || !strings.Contains(err.Error(), file)) {
			t.Errorf("%s: got %v, want the file and not what it holds", tt.name, err)
		}
	}
}

func TestPublicAddressFollowsFromTheNames(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"default", "", "http://127.0.0.1:8088"},
		{"all addresses", "listen: ':8088'\n", ""},
		{"any port", "listen: '127.0.0.1:0'\n", ""},
		{"all addresses with a name", "listen: '0.0.0.0:8088'\nnames: ['*', club.example]\n", "http://club.example:8088"},
		{"port 80", "listen: ':80'\nnames: [club.example]\n", "http://club.example"},
		{"address", "listen: '[::1]:80'\n", "http://[::1]"},
		{"proxy", "names: [club.example]\ntrusted_proxies: [127.0.0.1]\n", "https://club.example"},
		{"socket", "listen: 'unix:/run/host'\nnames: [club.example]\n", "https://club.example"},
		{"socket without a name", "listen: 'unix:/run/host'\n", ""},
		{"own certificate", "listen: ':443'\nnames: [club.example]\ntls: {certificate: a, key: b}\n", "https://club.example"},
		{"authority", "listen: ':8443'\ntls: {acme: {domains: [club.example]}}\n", "https://club.example:8443"},
	} {
		c, err := parse([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.PublicAddress(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
