package site

import "net/http"

// botPage sends the page on which a person writes a bot for a game.
func (s *Site) botPage(w http.ResponseWriter, r *http.Request) {
	if s.find(r.PathValue("name")) == nil {
		missing(w, r)
		return
	}
	documents()["bot.html"].send(w, r)
}

// botFrameDocument assembles the frame in which a person's bot runs. As in the frame of
// viewers, the policy allows one script, by its hash, and blob: for the worker that runs the
// bot. The bot comes in a message, and neither frame nor worker can load or connect to
// anything.
func botFrameDocument() *document {
	return sandboxed("botframe.html", string(embedded("frame/bot.html")), embedded("frame/botworker.js"), embedded("frame/bot.js"), "base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
}

func botFrame(w http.ResponseWriter, r *http.Request) { documents()["botframe"].send(w, r) }
