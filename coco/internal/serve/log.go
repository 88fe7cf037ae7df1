package serve

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// Log returns a function that writes a line for each event, and for each line that
// explains a failure of the program.
func Log(log *slog.Logger) func(Event) {
	return func(e Event) {
		running := slog.Int("running", e.Running)
		switch e.Kind {
		case Connected:
			log.Info("connected", "player", e.Player, running)
			if len(e.Games) > 0 {
				log.Warn("another coco serve of this player was ended: to serve several games, name them all in one", "player", e.Player, "games", strings.Join(e.Games, " "), running)
			}
		case Entered:
			log.Info("entered", "contest", e.Contest, running)
		case Disconnected:
			log.Warn("no connection", "error", e.Err.Error(), "retry_in", e.Delay.Round(time.Millisecond), running)
		case Started:
			log.Info("match started", "match", e.Match.ID, "game", e.Match.Game, running)
		case Dropped:
			log.Warn("match not joined: other matches took too long to end", "match", e.Match.ID, "game", e.Match.Game, running)
		case Draining:
			if e.Err != nil {
				log.Error("draining", "error", e.Err.Error(), running)
				return
			}
			log.Info("draining", running)
		case Ended:
			logEnd(log, e.End, running)
		}
	}
}

func logEnd(log *slog.Logger, o *MatchEnd, running slog.Attr) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("match", o.Info.ID), slog.String("game", o.Info.Game),
		slog.String("opponents", strings.Join(o.opponents(), " ")), slog.String("result", o.ending()),
	}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("score", o.score())
	if o.Result != nil || o.Walkover != "" {
		add("reason", o.reason())
	}
	if o.Err != nil {
		level = slog.LevelWarn
		add("error", o.Err.Error())
	}
	add("log", o.LogPath)
	if o.Log != nil {
		add("log_error", o.Log.Error())
	}
	if o.failed() {
		level = slog.LevelWarn
	}
	log.LogAttrs(context.Background(), level, "match ended", append(attrs, running)...)
	for _, line := range o.Why {
		log.Warn("why", "match", o.Info.ID, "line", line)
	}
	for _, line := range o.Stderr {
		log.Warn("stderr", "match", o.Info.ID, "line", line)
	}
}
