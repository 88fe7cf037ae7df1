package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const school = "players:\n  oidc:\n    issuer: https://login.school.example/realm\n    client_id: colosseum\n    client_secret_file: secret\n"

func TestAProviderIsChecked(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"whole", school + "    scopes: [openid]\n    button: Überschule\n    address: https://club.example:8443\n  registration: oidc\n", ""},
		{"short", school, ""},
		{"on this machine", strings.Replace(school, "https://login.school.example/realm", "http://127.0.0.1:9998/", 1), ""},
		{"not encrypted", strings.Replace(school, "https:", "http:", 1), `line 3: players.oidc.issuer: "http://login.school.example/realm" is not like`},
		{"with a query", strings.Replace(school, "/realm", "?a=b", 1), "line 3: players.oidc.issuer"},
		{"no URL", strings.Replace(school, "https://login.school.example/realm", "school", 1), "line 3: players.oidc.issuer"},
		{"no client", strings.Replace(school, "    client_id: colosseum\n", "", 1), "line 2: players.oidc: client_id is missing"},
		{"no secret", strings.Replace(school, "    client_secret_file: secret\n", "", 1), "line 2: players.oidc: client_secret_file is missing"},
		{"no issuer", strings.Replace(school, "    issuer: https://login.school.example/realm\n", "", 1), "line 2: players.oidc: issuer is missing"},
		{"other scopes", school + "    scopes: [profile]\n", "line 6: players.oidc.scopes must contain openid"},
		{"two scopes in one", school + "    scopes: [openid, 'a b']\n", "line 6: players.oidc.scopes"},
		{"no text", school + "    button: ''\n", "line 6: players.oidc.button must have 1 to 40 characters"},
		{"a path", school + "    address: https://club.example/x\n", "line 6: players.oidc.address"},
		{"registration without a provider", "players:\n  registration: oidc\n", "line 2: players.registration: oidc needs a provider: set players.oidc.issuer"},
		{"another registration", "players:\n  registration: school\n", `line 2: players.registration: "school" is not one of open, invite, oidc, closed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parse([]byte(tt.file)); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAClientSecretIsLong(t *testing.T) {
	o := OIDC{ClientSecretFile: filepath.Join(t.TempDir(), "secret")}
	if _, err := o.ReadSecret(); err == nil {
		t.Error("got nil for a missing file, want an error")
	}
	for secret, ok := range map[string]bool{"sixteen letters!": true, "fifteen letters": false} {
		if err := os.WriteFile(o.ClientSecretFile, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := o.ReadSecret(); (err == nil) != ok || ok && got != secret || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %q, %v, want it to be valid: %v", secret, got, err, ok)
		}
	}
}
