package site

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/clients/provider"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
)

// fakeProvider lets everybody in who comes back with the code "ok": as the person in the field
// subject of the query. Its cookies are not sealed.
type fakeProvider struct{ broken error }

func (p *fakeProvider) Begin(_ context.Context, callback, then string) (address, cookie string, err error) {
	return "https://login.example/?back=" + url.QueryEscape(callback), p.Seal(provider.Person{Then: then}), p.broken
}

func (p *fakeProvider) Finish(_ context.Context, cookie string, query url.Values) (provider.Person, error) {
	person, ok := p.Open(cookie)
	switch {
	case p.broken != nil:
		return provider.Person{}, p.broken
	case !ok:
		return provider.Person{}, provider.ErrAttempt
	case query.Get("code") != "ok":
		return provider.Person{}, provider.ErrAnswer
	}
	person.Identity = players.Identity{Issuer: "https://login.example", Subject: query.Get("subject")}
	person.Name = query.Get("name")
	return person, nil
}

func (p *fakeProvider) Seal(person provider.Person) string {
	text, _ := json.Marshal(person)
	return base64.RawURLEncoding.EncodeToString(text)
}

func (p *fakeProvider) Open(cookie string) (person provider.Person, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	return person, err == nil && json.Unmarshal(text, &person) == nil
}

// browser keeps the cookies of a site, as browsers do, except for their paths.
type browser struct {
	t       *testing.T
	site    *Site
	cookies map[string]*http.Cookie
}

// loginSite returns a browser on a site with a provider and the mode of registration, and the
// players.
func loginSite(t *testing.T, registration string) (*browser, *players.Registry, *fakeProvider) {
	t.Helper()
	s, _ := newSite(t)
	file, err := store.OpenPlayers(t.Context(), filepath.Join(t.TempDir(), "players.db"), quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	r, p := players.New(file, players.Settings{Registration: registration, Guesses: 20}, quiet), &fakeProvider{}
	s.Players, s.Logins, s.Provider, s.Button = r, r, p, "School login"
	return &browser{t, s, map[string]*http.Cookie{}}, r, p
}

func (b *browser) do(method, path, body string, header ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	var cookies []string
	for _, c := range b.cookies {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	w := change(b.site, method, path, body, append([]string{"Cookie", strings.Join(cookies, "; ")}, header...)...)
	for _, c := range w.Result().Cookies() {
		if !c.HttpOnly {
			b.t.Errorf("%s %s: got the cookie %v, want one that scripts cannot read", method, path, c)
		}
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
	return w
}

// want makes a request, and checks the status and the answer: its text, or a part of it.
func (b *browser) want(status int, part, method, path, body string, header ...string) {
	b.t.Helper()
	w := b.do(method, path, body, header...)
	if w.Code != status || !strings.Contains(w.Body.String(), part) {
		b.t.Fatalf("%s %s %s: got %d %s, want %d and %q", method, path, body, w.Code, w.Body, status, part)
	}
	if strings.HasPrefix(path, "/api/login") || strings.HasPrefix(path, "/api/device") {
		if w.Header().Get("Cache-Control") != "no-store" {
			b.t.Errorf("%s %s: got %v, want an answer that is not cached", method, path, w.Header())
		}
		s := readSchemas(b.t)
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			b.t.Fatal(err)
		}
		for _, fault := range s.faults(s.answerTo(strings.ToLower(method), path, fmt.Sprint(status), "application/json"), v, method+" "+path) {
			b.t.Error(fault)
		}
	}
}

// wantPage follows what the provider sends the browser to, and checks the page to which the
// host sends it on.
func (b *browser) wantPage(query, page string) {
	b.t.Helper()
	w := b.do("GET", callbackPath+"?"+query, "", "Origin", "https://login.example", "Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != page || w.Header().Get("Cache-Control") != "no-store" {
		b.t.Fatalf("got %d %v, want the page %s", w.Code, w.Header(), page)
	}
}

func TestAPersonOfTheProviderChoosesANameOnce(t *testing.T) {
	b, r, _ := loginSite(t, players.OIDC)
	b.want(200, `"player":"","registration":"oidc","login":"School login"`, "GET", "/api/session", "")
	b.want(200, `"pending":false`, "GET", "/api/login", "")
	b.want(403, "registers only people", "POST", "/api/players", `{"name":"eve"}`)
	b.want(200, `{"address":"https://login.example/?back=http%3A%2F%2Fexample.com%2Flogin%2Fcallback"}`, "POST", "/api/login", `{"then":"/games/roshambo?x=1"}`)
	if c := b.cookies[attemptCookie.Name]; c.SameSite != http.SameSiteLaxMode || c.Path != callbackPath || c.MaxAge != 600 {
		t.Errorf("got the cookie %v, want one for 10 minutes that also comes from the provider", c)
	}
	b.wantPage("code=ok&subject=1&name=Zo%C3%AB%20B%40school.example", "/login")
	if b.cookies[attemptCookie.Name] != nil || b.cookies[players.Cookie] != nil {
		t.Errorf("got the cookies %v, want that the first was used, and nobody is logged in", b.cookies)
	}
	b.want(200, `{"pending":true,"suggestion":"Zo-B","registration":"oidc","then":"/games/roshambo?x=1"}`, "GET", "/api/login", "")
	b.want(400, "1 to 16", "POST", "/api/login/player", `{"name":"Zoë"}`)
	b.want(200, `{"player":"zoe"`, "POST", "/api/login/player", `{"name":"zoe"}`)
	if c := b.cookies[players.Cookie]; c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.MaxAge != int(players.BrowserLife.Seconds()) || b.cookies[personCookie.Name] != nil {
		t.Errorf("got the cookies %v, want only that of the player, for 30 days", b.cookies)
	}
	b.want(403, "was not begun", "POST", "/api/login/player", `{"name":"zoe2"}`)
	old := b.cookies[players.Cookie].Value
	b.want(200, `"player":""`, "DELETE", "/api/session", "{}")
	if _, err := r.Authenticate(t.Context(), "", old, players.Read); !errors.Is(err, players.ErrToken) {
		t.Errorf("the token after logging out: got %v, want %v", err, players.ErrToken)
	}

	b.want(200, "", "POST", "/api/login", `{"then":"//evil.example"}`)
	b.wantPage("code=ok&subject=1", "/")
	b.want(200, `"player":"zoe"`, "GET", "/api/session", "")
	if _, err := r.Remove(t.Context(), []string{"zoe"}); err != nil {
		t.Fatal(err)
	}
	b.want(200, "", "POST", "/api/login", `{}`)
	b.wantPage("code=ok&subject=1", "/login?problem=removed")
}

func TestAPersonTakesThePlayerThatIsLoggedIn(t *testing.T) {
	b, r, _ := loginSite(t, players.Closed)
	come := func() {
		b.want(200, "", "POST", "/api/login", `{}`)
		b.wantPage("code=ok&subject=1", "/login")
	}
	come()
	b.want(403, "does not register", "POST", "/api/login/player", `{"name":"ann"}`)
	b.want(401, "not valid", "POST", "/api/login/player", `{"link":true}`)
	issued, err := r.Add(t.Context(), []string{"ann"})
	if err != nil {
		t.Fatal(err)
	}
	b.want(200, "ann", "POST", "/api/session", `{"token":"`+issued[0].Token+`"}`)
	b.want(200, `{"player":"ann"`, "POST", "/api/login/player", `{"link":true}`)
	b.want(200, "", "DELETE", "/api/session", "{}")
	b.want(200, "", "POST", "/api/login", `{}`)
	b.wantPage("code=ok&subject=1", "/")
	b.want(200, `"player":"ann"`, "GET", "/api/session", "")
}

func TestATokenForLessTakesNoPlayerAndLetsNoProgramIn(t *testing.T) {
	b, r, _ := loginSite(t, players.Open)
	if _, err := r.Add(t.Context(), []string{"ann"}); err != nil {
		t.Fatal(err)
	}
	token, _, err := r.Mint(t.Context(), "ann", "x", []players.Scope{players.Play}, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.want(200, "ann", "POST", "/api/session", `{"token":"`+token+`"}`)
	b.want(200, "", "POST", "/api/login", `{}`)
	b.wantPage("code=ok&subject=1", "/login")
	b.want(403, players.ErrScope.Error(), "POST", "/api/login/player", `{"link":true}`)
	login, err := r.AskDevice(t.Context(), "", "coco")
	if err != nil {
		t.Fatal(err)
	}
	b.want(403, players.ErrScope.Error(), "POST", "/api/device/answer", `{"user_code":"`+login.User+`","allow":true}`)
}

func TestALoginThatFailsIsExplained(t *testing.T) {
	b, _, p := loginSite(t, players.OIDC)
	b.wantPage("code=ok&subject=1", "/login?problem=attempt")
	b.want(200, "", "POST", "/api/login", `{}`)
	b.wantPage("code=forged&subject=1", "/login?problem=answer")
	b.wantPage("code=ok&subject=1", "/login?problem=attempt") // the cookie was used
	for err, word := range map[error]string{provider.ErrDenied: "denied", provider.ErrUnavailable: "provider", errors.New("secret"): "host"} {
		p.broken = err
		b.wantPage("code=ok", "/login?problem="+word)
	}
	p.broken = provider.ErrUnavailable
	b.want(503, "does not answer", "POST", "/api/login", `{}`)
	b.want(403, "only pages of this host", "POST", "/api/login", `{}`, "Origin", "https://evil.example")
	b.site.Provider = nil
	b.want(404, "no login provider", "POST", "/api/login", `{}`)
	b.want(404, "no login provider", "POST", "/api/login/player", `{"name":"ann"}`)
	b.wantPage("code=ok", "/login?problem=none")
}

func TestTheProviderSendsTheBrowserToTheAddressOfTheHost(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		encrypted     bool
		want          string
	}{
		{"plain", "", false, "http%3A%2F%2Fexample.com%2Flogin"},
		{"behind a proxy", "", true, "https%3A%2F%2Fexample.com%2Flogin"},
		{"configured", "https://club.example", false, "https%3A%2F%2Fclub.example%2Flogin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, _, _ := loginSite(t, players.OIDC)
			b.site.Readers, b.site.Address = &fakeReaders{secure: tt.encrypted}, tt.address
			b.want(200, tt.want, "POST", "/api/login", `{}`)
			if c := b.cookies[attemptCookie.Name]; c.Secure != tt.encrypted {
				t.Errorf("got the cookie %v, want Secure: %v", c, tt.encrypted)
			}
			b.want(200, strings.NewReplacer("%3A", ":", "%2F", "/", "login", "device").Replace(tt.want), "POST", "/api/device", `{}`)
		})
	}
}

func TestOnlyPathsOfThisHostArePagesToReturnTo(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/device?code=BCDF-GHJK": "/device?code=BCDF-GHJK", "": "/", "device": "/", "//evil.example/": "/", `/\evil.example`: "/", `\\evil.example`: "/",
		"https://evil.example/": "/", "javascript:alert(1)": "/", "/a\nb": "/", "/" + strings.Repeat("a", maxThen): "/",
	} {
		if got := (&shared{}).ownPath(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
		under := &shared{Parts: Parts{Prefix: "/colosseum"}}
		if got := under.ownPath("/colosseum" + path); strings.HasPrefix(want, "/") && !strings.HasPrefix(path, "//") && got != "/colosseum/" && got != "/colosseum"+want {
			t.Errorf("%q under a prefix: got %q, want /colosseum%s", path, got, want)
		}
	}
}

func TestSuggestionsAreNamesOfPlayers(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "ann": "ann", "Ann Müller@school.example": "Ann-Mller", "_x": "x", "@": "", "日本": "", strings.Repeat("a", 30): strings.Repeat("a", 16), "a/../b<script>": "a..bscript",
	} {
		if got := suggestion(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestAProgramIsLetInOnAPage(t *testing.T) {
	b, r, _ := loginSite(t, players.Open)
	w := b.do("POST", "/api/device", `{"client":"coco on laptop"}`)
	var login deviceAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &login); err != nil || w.Code != 200 {
		t.Fatalf("got %d %s, want the codes", w.Code, w.Body)
	}
	if login.Page != "http://example.com/device" || login.Whole != login.Page+"?code="+login.User || login.Expires != 600 || login.Interval != 5 {
		t.Errorf("got %+v, want the page of the host, 10 minutes and 5 seconds", login)
	}
	code, poll := `{"user_code":"`+login.User+`"}`, `{"device_code":"`+login.Device+`"}`
	b.want(400, `{"error":"authorization_pending"}`, "POST", "/api/device/token", poll)
	b.want(400, `{"error":"slow_down"}`, "POST", "/api/device/token", poll)
	b.want(401, "not valid", "POST", "/api/device/code", code)
	b.want(200, "ann", "POST", "/api/players", `{"name":"ann"}`)
	b.want(404, "no program waits", "POST", "/api/device/code", `{"user_code":"BCDF-GHJK"}`)
	b.want(200, `{"client":"coco on laptop","address":"192.0.2.1:1234","player":"ann"}`, "POST", "/api/device/code", code)
	b.want(403, "only pages of this host", "POST", "/api/device/answer", `{"user_code":"`+login.User+`","allow":true}`, "Origin", "https://evil.example")
	b.want(415, "Content-Type", "POST", "/api/device/answer", "user_code="+login.User+"&allow=true", "Content-Type", "application/x-www-form-urlencoded")
	b.want(200, `{"player":"ann","allow":true}`, "POST", "/api/device/answer", `{"user_code":"`+login.User+`","allow":true}`)
	w = b.do("POST", "/api/device/token", poll)
	var answer deviceToken
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Player != "ann" {
		t.Fatalf("got %d %s, want a token of ann", w.Code, w.Body)
	}
	if player, err := r.Authenticate(t.Context(), "", answer.Token, players.All); player != "ann" || err != nil {
		t.Errorf("got %q, %v, want ann", player, err)
	}
	b.want(400, `{"error":"expired_token"}`, "POST", "/api/device/token", poll)

	denied, err := r.AskDevice(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	b.want(200, `{"player":"ann","allow":false}`, "POST", "/api/device/answer", `{"user_code":"`+denied.User+`","allow":false}`)
	b.want(400, `{"error":"access_denied"}`, "POST", "/api/device/token", `{"device_code":"`+denied.Device+`"}`)
}
