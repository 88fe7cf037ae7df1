package site

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPagesArriveInTheLanguageOfTheRequest(t *testing.T) {
	tests := []struct{ name, cookie, accept, want string }{
		{"nothing", "", "", "en"},
		{"the browser prefers Italian", "", "it-IT,it;q=0.9,en;q=0.8", "it"},
		{"the browser prefers English", "", "en-GB,it;q=0.5", "en"},
		{"the browser prefers a language without a file", "", "ja,it;q=0.5", "it"},
		{"only a language without a file", "", "ja", "en"},
		{"the person has chosen English", "en", "it", "en"},
		{"the person has chosen Italian", "it", "en", "it"},
		{"a cookie with another text", "<b>", "it", "it"},
		{"a header that is too long", "", "it" + strings.Repeat(",it", 100), "en"},
		{"a header that is not one", "", ";;;=,,", "en"},
	}
	s, _ := newSite(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Language", tt.accept)
			if tt.cookie != "" {
				r.AddCookie(&http.Cookie{Name: languageCookie, Value: tt.cookie})
			}
			w := httptest.NewRecorder()
			s.sendPage("contests.html")(w, r)
			body := w.Body.String()
			if !strings.Contains(body, `<html lang="`+tt.want+`">`) || !strings.Contains(body, `<option value="`+tt.want+`" lang="`+tt.want+`" selected>`) {
				t.Errorf("got %.200s…, want a page in %s with its language selected", body, tt.want)
			}
			if got, want := strings.Contains(body, "<h2>In corso</h2>") && strings.Contains(body, hashed("contests.it.json")), tt.want == "it"; got != want {
				t.Errorf("got translated texts and their file: %v, want %v", got, want)
			}
			if vary := w.Header().Get("Vary"); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
				t.Errorf("got Vary %q, want the language in it", vary)
			}
		})
	}
}

func TestAPageThatDoesNotExistIsTranslated(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/nowhere", nil)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "it")
	w := httptest.NewRecorder()
	s, _ := newSite(t)
	s.missing(w, r)
	if body := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(body, "Questa pagina non esiste") {
		t.Errorf("got %d %s, want 404 in Italian", w.Code, body)
	}
}

func TestPagesGetNoTextsOfCoco(t *testing.T) {
	text := string(documents()["it.json"].plain)
	if !strings.Contains(text, `"plurals"`) || strings.Contains(text, `"coco"`) {
		t.Errorf("got %.300s…, want the texts of the pages only", text)
	}
}
