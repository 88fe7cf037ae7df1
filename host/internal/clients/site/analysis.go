package site

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"colosseum/host/internal/play/analysis"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

const (
	analysisCharge = 1 << 20     // bytes: to begin an analysis costs as much as an answer of that length
	analysisPoll   = time.Second // between two requests for one that is not ready
)

// analysisAnswer is the analysis of a match; Positions is set when it is ready.
type analysisAnswer struct {
	State     string           `json:"state"` // waiting, running or ready
	Done      int              `json:"done"`  // answers of the match
	All       int              `json:"all"`
	Think     int64            `json:"think_ms,omitempty"`
	Positions []positionAnswer `json:"positions,omitempty"`
	Mistakes  []mistakeAnswer  `json:"mistakes,omitempty"`
}

type positionAnswer struct {
	Lines   int     `json:"lines"` // of the spectators' stream before it
	Answers int     `json:"answers"`
	Seat    *int    `json:"seat"` // that moved to this position; null: chance, or several
	Value   float64 `json:"value"`
	Best    string  `json:"best,omitempty"`
}

type mistakeAnswer struct {
	Position int     `json:"position"` // index of the position after the move
	Seat     int     `json:"seat"`
	Loss     float64 `json:"loss"`
	Blunder  bool    `json:"blunder"`
	Best     string  `json:"best,omitempty"` // what the game found better
}

// analysis sends the analysis of an ended match. The first request begins it, unless a page
// of another host has made it: such pages can read analyses, but not have visitors begin them.
func (s *shared) analysis(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if _, ok := s.Lobby.Info(id); ok {
		refuse(w, http.StatusConflict, "the match has not ended: it can be analysed afterwards")
		return
	}
	if s.Analyses == nil {
		refuse(w, http.StatusUnprocessableEntity, "this host analyses no matches")
		return
	}
	if status, ok := s.Analyses.Look(id); ok {
		s.sendAnalysis(w, r, status)
		return
	}
	if from := r.Header.Get("Sec-Fetch-Site"); from == "cross-site" || from == "same-site" {
		refuse(w, http.StatusForbidden, "pages of other hosts cannot begin an analysis: begin it on the page of the match")
		return
	}
	var status analysis.Status
	var err error
	s.work(w, r, func(ctx context.Context) func() {
		var rec *record.Match
		if rec, err = s.Records.Get(ctx, id); err == nil && rec.State == record.Running {
			err = store.ErrNotFound
		}
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		if status, err = s.Analyses.Start(rec); err == nil {
			s.Readers.Charge(r, analysisCharge)
		}
		return func() { s.startedAnalysis(w, r, status, err) }
	})
}

func (s *shared) startedAnalysis(w http.ResponseWriter, r *http.Request, status analysis.Status, err error) {
	_, refused := errors.AsType[analysis.Refusal](err)
	switch {
	case errors.Is(err, analysis.ErrBusy):
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, err.Error())
	case refused:
		refuse(w, http.StatusUnprocessableEntity, err.Error())
	case err != nil:
		s.fail(w, r, err)
	default:
		s.sendAnalysis(w, r, status)
	}
}

func (s *shared) sendAnalysis(w http.ResponseWriter, r *http.Request, status analysis.Status) {
	if status.Err != nil {
		refuse(w, http.StatusUnprocessableEntity, "the match could not be analysed: "+status.Err.Error())
		return
	}
	if status.Analysis == nil {
		a := analysisAnswer{State: "waiting", Done: status.Done, All: status.All}
		if status.Running {
			a.State = "running"
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(analysisPoll.Seconds())))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(encode(a)) // fails if the client has gone
		return
	}
	text := encode(describeAnalysis(status))
	s.Readers.Charge(r, len(text))
	prepare(w, r, text)()
}

func describeAnalysis(status analysis.Status) analysisAnswer {
	found := status.Analysis
	a := analysisAnswer{State: "ready", Done: status.All, All: status.All, Think: found.Think.Milliseconds(), Positions: []positionAnswer{}, Mistakes: []mistakeAnswer{}}
	for _, p := range found.Positions {
		position := positionAnswer{Lines: p.Lines, Answers: p.Answers, Value: p.Value, Best: p.Best}
		if p.Seat >= 0 {
			position.Seat = new(p.Seat)
		}
		a.Positions = append(a.Positions, position)
	}
	for _, m := range found.Mistakes {
		after, before := found.Positions[m.Position], found.Positions[m.Position-1]
		a.Mistakes = append(a.Mistakes, mistakeAnswer{Position: m.Position, Seat: after.Seat, Loss: m.Loss, Blunder: m.Blunder(), Best: before.Best})
	}
	return a
}
