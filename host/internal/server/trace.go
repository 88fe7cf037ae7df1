package server

import (
	"context"

	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
)

// traced returns a recorder that also sends a trace of each match that ends.
func traced(r match.Recorder, tracer *trace.Tracer) match.Recorder {
	if tracer == nil {
		return r
	}
	return tracedRecorder{r, tracer}
}

type tracedRecorder struct {
	match.Recorder
	tracer *trace.Tracer
}

func (t tracedRecorder) Finish(ctx context.Context, r *record.Match) error {
	ctx, span := t.tracer.StartAt(ctx, trace.Internal, "match", r.Started)
	span.Text("match", r.ID)
	span.Text("game", r.Game)
	span.Int("seats", len(r.Seats))
	span.Text("state", string(r.State))
	ctx, commit := t.tracer.Start(ctx, trace.Internal, "commit")
	err := t.Recorder.Finish(ctx, r)
	commit.End(err)
	span.End(err)
	return err
}
