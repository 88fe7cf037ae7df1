package site

import (
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/play/analysis"
	"colosseum/host/internal/records/record"
)

// fakeAnalyses answers by match.
type fakeAnalyses struct{ started []string }

var foundAnalysis = &analysis.Analysis{
	Think:     50 * time.Millisecond,
	Positions: []analysis.Position{{Lines: 2, Seat: -1, Value: 0.25, Best: "PAPER"}, {Lines: 3, Answers: 1, Seat: 0, Value: -0.75}, {Lines: 3, Answers: 2, Seat: 1, Value: -1}},
	Mistakes:  []analysis.Mistake{{Position: 1, Loss: 1}},
}

func (f *fakeAnalyses) Look(match string) (analysis.Status, bool) {
	switch match {
	case "ended5":
		return analysis.Status{Running: true, Done: 1, All: 2}, true
	case "ended6":
		return analysis.Status{Err: analysis.Refusal("the game has stopped")}, true
	}
	return analysis.Status{}, false
}

func (f *fakeAnalyses) Start(rec *record.Match) (analysis.Status, error) {
	f.started = append(f.started, rec.ID)
	switch rec.ID {
	case "ended0":
		return analysis.Status{Done: 2, All: 2, Analysis: foundAnalysis}, nil
	case "ended1":
		return analysis.Status{}, analysis.ErrBusy
	case "ended2":
		return analysis.Status{}, analysis.Refusal("it is too long")
	}
	return analysis.Status{All: 2}, nil
}

func TestAnalysisOfEachMatchHasAClearAnswer(t *testing.T) {
	schemas := readSchemas(t)
	for _, tt := range []struct {
		match   string
		status  int
		want    string
		charged bool
	}{
		{"ended0", 200, `{"state":"ready","done":2,"all":2,"think_ms":50,"positions":[{"lines":2,"answers":0,"seat":null,"value":0.25,"best":"PAPER"},` +
			`{"lines":3,"answers":1,"seat":0,"value":-0.75},{"lines":3,"answers":2,"seat":1,"value":-1}],` +
			`"mistakes":[{"position":1,"seat":0,"loss":1,"blunder":true,"best":"PAPER"}]}`, true},
		{"ended3", 202, `{"state":"waiting","done":0,"all":2}`, true},
		{"ended5", 202, `{"state":"running","done":1,"all":2}`, false},
		{"ended1", 503, `{"error":"too many matches wait for their analysis: try again later"}`, false},
		{"ended2", 422, `{"error":"it is too long"}`, false},
		{"ended6", 422, `{"error":"the match could not be analysed: the game has stopped"}`, false},
		{"running", 409, `{"error":"the match has not ended: it can be analysed afterwards"}`, false},
		{"waiting", 409, `{"error":"the match has not ended: it can be analysed afterwards"}`, false},
		{"nothing", 404, `{"error":"there is no such match"}`, false},
	} {
		t.Run(tt.match, func(t *testing.T) {
			s, _ := newSite(t)
			w := get(s, "/api/matches/"+tt.match+"/analysis")
			if w.Code != tt.status || strings.TrimSpace(w.Body.String()) != tt.want {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.want)
			}
			if later := w.Code == 202 || w.Code == 503; later != (w.Header().Get("Retry-After") != "") {
				t.Errorf("got Retry-After %q with %d", w.Header().Get("Retry-After"), w.Code)
			}
			if charged := s.Readers.(*fakeReaders).charged >= analysisCharge; charged != tt.charged {
				t.Errorf("charged %d bytes, want that of a new analysis: %v", s.Readers.(*fakeReaders).charged, tt.charged)
			}
			schemas.answer("/api/matches/{id}/analysis", w.Result().Status[:3], "application/json")
		})
	}
}

func TestPagesOfOtherHostsCannotBeginAnAnalysis(t *testing.T) {
	s, _ := newSite(t)
	path := "/api/matches/ended3/analysis"
	for _, from := range []string{"cross-site", "same-site"} {
		if w := get(s, path, "Sec-Fetch-Site", from); w.Code != 403 {
			t.Errorf("from a page that is %s: got %d %s, want 403", from, w.Code, w.Body)
		}
	}
	if w := get(s, "/api/matches/ended5/analysis", "Sec-Fetch-Site", "cross-site"); w.Code != 202 {
		t.Errorf("one that has begun: got %d %s, want 202", w.Code, w.Body)
	}
	for _, from := range []string{"same-origin", "none"} {
		if w := get(s, path, "Sec-Fetch-Site", from); w.Code != 202 {
			t.Errorf("from %s: got %d %s, want 202", from, w.Code, w.Body)
		}
	}
}

func TestHostWithoutAnalysesSaysSo(t *testing.T) {
	s, _ := newSite(t)
	s.Analyses = nil
	if w := get(s, "/api/matches/ended0/analysis"); w.Code != 422 {
		t.Errorf("got %d, want 422", w.Code)
	}
}
