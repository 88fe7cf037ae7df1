package provider

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/contests/players"
)

const clientID, clientSecret = "colosseum", "a secret of the client"

// hostile is a provider that makes what a test asks it to make. It lets everybody in as the
// subject "0817".
type hostile struct {
	*httptest.Server
	key     *rsa.PrivateKey
	down    atomic.Bool
	keys    atomic.Int32 // how often its keys were read
	read    atomic.Int32 // how often its description was read
	userinf atomic.Value // the JSON of its user info

	mu     sync.Mutex                          // guards the fields below
	change func(header, claims map[string]any) // of the ID token; nil: nothing
	sign   func(text string) []byte            // nil: with its key
	info   map[string]any                      // changes of its description
	asked  url.Values                          // the last request for a token
	user   string                              // of the last request for a token
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		h.read.Add(1)
		info := map[string]any{
			"issuer": h.URL, "authorization_endpoint": h.URL + "/auth", "token_endpoint": h.URL + "/token", "jwks_uri": h.URL + "/keys", "userinfo_endpoint": h.URL + "/user",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		}
		h.mu.Lock()
		for k, v := range h.info {
			info[k] = v
		}
		h.mu.Unlock()
		send(w, info)
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		h.keys.Add(1)
		text := base64.RawURLEncoding.EncodeToString
		send(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": text(key.N.Bytes()), "e": text(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("/user", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, h.userinf.Load())
	})
	mux.HandleFunc("/token", h.token)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.down.Load() {
			http.Error(w, "down "+strings.Repeat("x", 1000), http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	h.userinf.Store(`{"sub":"0817","preferred_username":"ann"}`)
	return h
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// token answers every request with the ID token of the nonce that is its code.
func (h *hostile) token(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = r.ParseForm()
	h.asked = r.PostForm
	h.user, _, _ = r.BasicAuth()
	if r.PostForm.Get("code") == "used" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"` + clientSecret + `"}`))
		return
	}
	now := time.Now().Unix()
	header := map[string]any{"alg": "RS256", "kid": "1"}
	claims := map[string]any{"iss": h.URL, "sub": "0817", "aud": clientID, "iat": now, "exp": now + 300, "nonce": r.PostForm.Get("code")}
	if h.change != nil {
		h.change(header, claims)
	}
	text := part(header) + "." + part(claims)
	signature := h.signed(text)
	if h.sign != nil {
		signature = h.sign(text)
	}
	send(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": text + "." + base64.RawURLEncoding.EncodeToString(signature)})
}

func part(v any) string {
	text, _ := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(text)
}

func (h *hostile) signed(text string) []byte {
	return rsaSigned(h.key, text)
}

func rsaSigned(key *rsa.PrivateKey, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return signature
}

// set changes what the provider makes.
func (h *hostile) set(change func(header, claims map[string]any), sign func(text string) []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.change, h.sign = change, sign
}

func (h *hostile) client(log *bytes.Buffer) *Provider {
	return New(Settings{Issuer: h.URL, ClientID: clientID, Secret: clientSecret, Scopes: []string{"openid", "profile"}}, slog.New(slog.NewTextHandler(log, nil)))
}

// begun begins a login, and returns the cookie and the query with which the provider sends the
// browser back: its code is the nonce.
func begun(t *testing.T, p *Provider) (cookie string, query url.Values) {
	t.Helper()
	address, cookie, err := p.Begin(t.Context(), "http://club.example/login/callback", "/then")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for _, key := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(key)) < 26 {
			t.Fatalf("got %s, want a long %s", address, key)
		}
	}
	if q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid profile" || q.Get("redirect_uri") != "http://club.example/login/callback" || q.Get("client_id") != clientID || q.Get("response_type") != "code" {
		t.Fatalf("got %s, want a request for a code with PKCE", address)
	}
	return cookie, url.Values{"state": {q.Get("state")}, "code": {q.Get("nonce")}}
}

func TestAPersonIsLetInOnAnyHostOfTheCluster(t *testing.T) {
	h, log := newHostile(t), new(bytes.Buffer)
	p, other := h.client(log), h.client(log)
	cookie, query := begun(t, p)
	person, err := other.Finish(t.Context(), cookie, query)
	want := Person{Identity: players.Identity{Issuer: h.URL, Subject: "0817"}, Name: "ann", Then: "/then"}
	if person != want || err != nil {
		t.Fatalf("got %+v, %v, want %+v; log: %s", person, err, want, log)
	}
	if h.user != clientID || h.asked.Get("client_secret") != "" || len(h.asked.Get("code_verifier")) < 43 || h.asked.Get("redirect_uri") != "http://club.example/login/callback" {
		t.Errorf("got %v of %q, want the verifier, and the secret only in the header", h.asked, h.user)
	}
	if got, ok := p.Open(other.Seal(person)); got != want || !ok {
		t.Errorf("got %+v, %v, want the person", got, ok)
	}
	for range 3 {
		cookie, query := begun(t, other)
		if _, err := other.Finish(t.Context(), cookie, query); err != nil {
			t.Fatal(err)
		}
	}
	if h.read.Load() != 2 || h.keys.Load() != 1 {
		t.Errorf("the description was read %d times, and the keys %d times, want once by each host, and once", h.read.Load(), h.keys.Load())
	}
}

func TestForgedAnswersAreRefused(t *testing.T) {
	h := newHostile(t)
	foreign, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(name string, value any) func(_, _ map[string]any) {
		return func(_, claims map[string]any) { claims[name] = value }
	}
	after := func(name string, d time.Duration) func(_, _ map[string]any) {
		return claim(name, time.Now().Add(d).Unix())
	}
	// skewed is what a provider whose clock is ahead sends.
	skewed := func(d time.Duration) func(_, _ map[string]any) {
		return func(_, claims map[string]any) {
			for name, after := range map[string]time.Duration{"iat": 0, "nbf": 0, "exp": 5 * time.Minute} {
				claims[name] = time.Now().Add(d + after).Unix()
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(header, claims map[string]any)
		sign   func(text string) []byte
		want   error
	}{
		{"as it is", nil, nil, nil},
		{"wrong key", nil, func(text string) []byte { return rsaSigned(foreign, text) }, ErrAnswer},
		{"unknown key", func(header, _ map[string]any) { header["kid"] = "2" }, nil, ErrAnswer},
		{"other text than was signed", nil, func(string) []byte { return h.signed("x.y") }, ErrAnswer},
		{"no signature", nil, func(string) []byte { return nil }, ErrAnswer},
		{"alg none", func(header, _ map[string]any) { header["alg"] = "none" }, func(string) []byte { return nil }, ErrAnswer},
		{"signed with the secret of the client", func(header, _ map[string]any) { header["alg"] = "HS256" }, func(text string) []byte { return mac(clientSecret, text) }, ErrAnswer},
		{"signed with the public key as a secret", func(header, _ map[string]any) { header["alg"] = "HS256" }, func(text string) []byte { return mac(string(h.key.N.Bytes()), text) }, ErrAnswer},
		{"for another client", claim("aud", "other"), nil, ErrAnswer},
		{"for nobody", claim("aud", []string{}), nil, ErrAnswer},
		{"for several", claim("aud", []string{clientID, "other"}), nil, ErrAnswer},
		{"for several, authorized for another", func(_, c map[string]any) { c["aud"], c["azp"] = []string{clientID, "other"}, "other" }, nil, ErrAnswer},
		{"for several, authorized for this", func(_, c map[string]any) { c["aud"], c["azp"] = []string{clientID, "other"}, clientID }, nil, nil},
		{"authorized for another", claim("azp", "other"), nil, ErrAnswer},
		{"of another issuer", claim("iss", "https://evil.example"), nil, ErrAnswer},
		{"of another path", claim("iss", h.URL+"/"), nil, ErrAnswer},
		{"of another login", claim("nonce", "x"), nil, ErrAnswer},
		{"without a nonce", claim("nonce", nil), nil, ErrAnswer},
		{"without a subject", claim("sub", ""), nil, ErrAnswer},
		{"with a long subject", claim("sub", strings.Repeat("x", 256)), nil, ErrAnswer},
		{"expired a minute ago", after("exp", -time.Minute), nil, nil},
		{"expired 10 minutes ago", after("exp", -10*time.Minute), nil, ErrAnswer},
		{"without an expiry", claim("exp", nil), nil, ErrAnswer},
		{"without a time", claim("iat", nil), nil, ErrAnswer},
		{"a minute ahead", skewed(time.Minute), nil, nil},
		{"a minute behind", skewed(-time.Minute), nil, nil},
		{"10 minutes ahead", skewed(10 * time.Minute), nil, ErrAnswer},
		{"10 minutes behind", skewed(-10 * time.Minute), nil, ErrAnswer},
		{"10 minutes behind, valid for long", func(_, c map[string]any) {
			c["iat"], c["exp"] = time.Now().Add(-10*time.Minute).Unix(), time.Now().Add(time.Hour).Unix()
		}, nil, ErrAnswer},
		{"valid in 10 minutes", after("nbf", 10*time.Minute), nil, ErrAnswer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := new(bytes.Buffer)
			p := h.client(log)
			h.set(tt.change, tt.sign)
			cookie, query := begun(t, p)
			person, err := p.Finish(t.Context(), cookie, query)
			if !errors.Is(err, tt.want) || (person.Subject != "") != (tt.want == nil) {
				t.Errorf("got %+v, %v, want %v; log: %s", person, err, tt.want, log)
			}
			if strings.Contains(log.String(), clientSecret) {
				t.Errorf("got the log %s, want no secret", log)
			}
		})
	}
}

func mac(key, text string) []byte {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(text))
	return m.Sum(nil)
}

func TestAnswersThatDoNotBelongToTheLoginAreRefused(t *testing.T) {
	h, log := newHostile(t), new(bytes.Buffer)
	p := h.client(log)
	changed := func(cookie string, at int) string {
		b, _ := base64.RawURLEncoding.DecodeString(cookie)
		b[at] ^= 1
		return base64.RawURLEncoding.EncodeToString(b)
	}
	foreign := New(Settings{Issuer: h.URL, ClientID: clientID, Secret: "another secret of the client"}, slog.New(slog.DiscardHandler))
	for _, tt := range []struct {
		name string
		make func(cookie string, query url.Values) string // returns the cookie that comes
		want error
	}{
		{"as it is", func(c string, _ url.Values) string { return c }, nil},
		{"no cookie", func(string, url.Values) string { return "" }, ErrAttempt},
		{"no base64", func(string, url.Values) string { return "%" }, ErrAttempt},
		{"short cookie", func(c string, _ url.Values) string { return c[:10] }, ErrAttempt},
		{"changed cookie", func(c string, _ url.Values) string { return changed(c, 20) }, ErrAttempt},
		{"changed nonce of the cookie", func(c string, _ url.Values) string { return changed(c, 0) }, ErrAttempt},
		{"cookie of another login", func(string, url.Values) string { c, _ := begun(t, p); return c }, ErrAttempt},
		{"cookie for a name", func(string, url.Values) string { return p.Seal(Person{}) }, ErrAttempt},
		{"cookie of another secret", func(string, url.Values) string { return foreign.seal("attempt", attempt{}, Life) }, ErrAttempt},
		{"no state", func(c string, q url.Values) string { q.Del("state"); return c }, ErrAttempt},
		{"other state", func(c string, q url.Values) string { q.Set("state", "x"); return c }, ErrAttempt},
		{"code of another login", func(c string, q url.Values) string {
			_, other := begun(t, p)
			q.Set("code", other.Get("code"))
			return c
		}, ErrAnswer},
		{"code that was used", func(c string, q url.Values) string { q.Set("code", "used"); return c }, ErrAnswer},
		{"of another issuer", func(c string, q url.Values) string { q.Set("iss", "https://evil.example"); return c }, ErrAnswer},
		{"of this issuer", func(c string, q url.Values) string { q.Set("iss", h.URL); return c }, nil},
		{"denied", func(c string, q url.Values) string { q.Set("error", "access_denied"); return c }, ErrDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cookie, query := begun(t, p)
			if _, err := p.Finish(t.Context(), tt.make(cookie, query), query); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	cookie, query := begun(t, p)
	person := p.Seal(Person{Identity: players.Identity{Issuer: h.URL, Subject: "0817"}})
	p.now = func() time.Time { return time.Now().Add(Life + time.Second) }
	if _, err := p.Finish(t.Context(), cookie, query); !errors.Is(err, ErrAttempt) {
		t.Errorf("after 10 minutes: got %v, want %v", err, ErrAttempt)
	}
	if _, ok := p.Open(person); ok {
		t.Error("got a person after 10 minutes, want none")
	}
	if strings.Contains(log.String(), clientSecret) {
		t.Errorf("got the log %s, want no secret", log)
	}
}

func TestAProviderThatIsDownIsAskedAgain(t *testing.T) {
	h, log := newHostile(t), new(bytes.Buffer)
	h.down.Store(true)
	p := h.client(log)
	if _, _, err := p.Begin(t.Context(), "http://club.example/", "/"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want %v", err, ErrUnavailable)
	}
	if log.Len() == 0 || log.Len() > 700 {
		t.Errorf("got a log of %d bytes, want a short line", log.Len())
	}
	h.down.Store(false)
	cookie, query := begun(t, p)
	h.down.Store(true)
	p.now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	if _, err := p.Finish(t.Context(), cookie, query); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want %v", err, ErrUnavailable)
	}
	p.now = func() time.Time { return time.Now().Add(fresh + time.Minute) }
	begun(t, p) // with the description that was read before
}

func TestADescriptionWithUnsafeAddressesIsRefused(t *testing.T) {
	for _, info := range []map[string]any{
		{"issuer": "https://evil.example"}, {"authorization_endpoint": "javascript:alert(1)"}, {"authorization_endpoint": "http://evil.example/auth"},
		{"token_endpoint": "http://evil.example/token"}, {"token_endpoint": "https://user:word@evil.example/token"}, {"token_endpoint": ""},
	} {
		h := newHostile(t)
		h.info = info
		if _, _, err := h.client(new(bytes.Buffer)).Begin(t.Context(), "http://club.example/", "/"); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%v: got %v, want %v", info, err, ErrUnavailable)
		}
	}
}

func TestASecretGoesWhereTheProviderTakesIt(t *testing.T) {
	h := newHostile(t)
	h.info = map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_post"}}
	p := h.client(new(bytes.Buffer))
	cookie, query := begun(t, p)
	if _, err := p.Finish(t.Context(), cookie, query); err != nil {
		t.Fatal(err)
	}
	if h.user != "" || h.asked.Get("client_secret") != clientSecret {
		t.Errorf("got %v of %q, want the secret in the form", h.asked, h.user)
	}
}

func TestASuggestionIsOnlyAboutThePerson(t *testing.T) {
	h := newHostile(t)
	for info, want := range map[string]string{`{"sub":"0817","preferred_username":"ann"}`: "ann", `{"sub":"1","preferred_username":"eve"}`: "", `no JSON`: ""} {
		h.userinf.Store(info)
		p := h.client(new(bytes.Buffer))
		cookie, query := begun(t, p)
		if person, err := p.Finish(t.Context(), cookie, query); person.Name != want || person.Subject != "0817" || err != nil {
			t.Errorf("%s: got %+v, %v, want the name %q", info, person, err, want)
		}
	}
}

func FuzzCookies(f *testing.F) {
	p := New(Settings{Issuer: "https://login.example", Secret: clientSecret}, slog.New(slog.DiscardHandler))
	for _, seed := range []string{"", "AAAA", strings.Repeat("A", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		if _, ok := p.Open(cookie); ok {
			t.Fatal("got a person, want none without the key")
		}
	})
}
