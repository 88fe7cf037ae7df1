package match

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/player"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

const (
	// recentBytes is how much of the stream is kept to explain a forfeit.
	recentBytes = 1 << 10
	// shownLines and shownBytes are how much of a text is printed.
	shownLines = 3
	shownBytes = 200
	// together is how far two pieces of the stream that belong to one text can be
	// apart. The last text of a match often comes right before its end.
	together = 100 * time.Millisecond
)

// trace is what coco saw of a match as a player. It fills the log, and explains a
// forfeit if the server does not. Its methods can be called concurrently.
type trace struct {
	log *journal.Journal

	mu       sync.Mutex         // guards the fields below
	info     protocol.MatchInfo // as last received
	recent   []byte             // the last bytes of the stream
	got      time.Time          // when they came
	gotPrior time.Time          // when the previous text came; see together
	asked    []byte             // recent, when the player's last line came
	after    []byte             // received since then, at most recentBytes
	line     string             // the last line of the player, without line feed
	wrote    time.Time          // when line ended; zero: there is none
	again    bool               // line was not the first
	open     []byte             // what the player has written since, at most recentBytes
	forfeit  bool               // the player has forfeited
	result   []string           // remarks for the log
	ended    *protocol.MatchResult
	why      []*locale.Text // lines that explain the forfeit
	exit     string         // how the program had ended before the result came; empty: it had not
	walkover string         // see Summary
}

// Summary is what coco knows of a match that it has played.
type Summary struct {
	Info   protocol.MatchInfo    // as last received; zero: coco has not joined
	Begun  bool                  // the match has started
	Wrote  bool                  // the program has written something
	Result *protocol.MatchResult // nil: none was received
	Why    []*locale.Text        // lines that explain a forfeit of the player
	Exit   string                // how the program ended before the result came; empty: it did not
	Log    error                 // why the log is not complete, or nil

	Walkover string // why a match of a contest ended before its start: others did not come
}

// Summary returns how the match went. Call it after Run, and before Finish.
func (m *Match) Summary() Summary {
	t := &m.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	return Summary{
		Info: t.info, Begun: m.begun.Load(), Wrote: !t.wrote.IsZero() || len(t.open) > 0,
		Result: t.ended, Why: t.why, Exit: t.exit, Log: m.Log.Err(), Walkover: t.walkover,
	}
}

// received notes bytes of the stream, before the player gets them.
func (t *trace) received(b []byte) {
	t.log.Received(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(t.got) > together {
		t.gotPrior = t.got
	}
	t.got = now
	t.recent = append(t.recent, b[max(0, len(b)-recentBytes):]...)
	if extra := len(t.recent) - recentBytes; extra > 0 {
		t.recent = slices.Delete(t.recent, 0, extra)
	}
	t.after = append(t.after, b[:min(len(b), recentBytes-len(t.after))]...)
}

// sent notes bytes of the player.
func (t *trace) sent(b []byte) {
	t.log.Sent(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := bytes.LastIndexByte(b, '\n')
	if whole < 0 {
		t.addOpenLocked(b)
		return
	}
	begin := bytes.LastIndexByte(b[:whole], '\n') + 1
	if begin > 0 {
		t.open = t.open[:0]
	}
	t.addOpenLocked(b[begin:whole])
	t.again = !t.wrote.IsZero() || begin > 0
	t.line, t.wrote = string(t.open), time.Now()
	t.asked = append(t.asked[:0], t.recent...)
	t.open, t.after = t.open[:0], t.after[:0]
	t.addOpenLocked(b[whole+1:])
}

func (t *trace) addOpenLocked(b []byte) {
	t.open = append(t.open, b[:min(len(b), recentBytes-len(t.open))]...)
}

// note adds a remark to the log.
func (t *trace) note(format string, args ...any) { t.log.Note(format, args...) }

// know notes the match as the server describes it.
func (t *trace) know(info protocol.MatchInfo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.info = info
}

// known returns the match as the server last described it.
func (t *trace) known() protocol.MatchInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.info
}

// exited notes how the program has ended, if it has.
func (t *trace) exited(status string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exit = status
}

// closed notes why the match ended before its start.
func (t *trace) closed(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.info.Contest != "" && strings.HasSuffix(reason, protocol.DidNotJoin) {
		t.walkover = reason
	}
}

// header returns the header of the log.
func (m *Match) header() journal.Header {
	m.trace.mu.Lock()
	defer m.trace.mu.Unlock()
	i := m.trace.info
	return journal.Header{
		ID: m.ID, Title: i.Name, Game: i.Game, Args: i.Args, Timeout: i.Timeout, Clock: i.Clock, Players: i.Players, Bots: i.Bots,
		Names: i.Connected, Name: m.Name, Player: i.Identities[m.Name], Server: m.Server, Commitment: i.Commitment,
	}
}

// beginLog creates the log. Without one, the match goes on.
func (m *Match) beginLog() {
	if err := m.Log.Begin(m.header(), time.Now()); err != nil {
		m.Print.Line("The log cannot be written: %v", err)
	}
}

// explain prints why the player forfeited, if it did, and notes the result for the
// log.
func (m *Match) explain(result *protocol.MatchResult, lines []*locale.Text) {
	if m.Spectate {
		return
	}
	if m.Player != nil {
		m.trace.exited(m.Player.Exit())
	}
	for _, line := range m.trace.end(result, m.Name, lines, time.Now()) {
		m.Print.Line("%v", line)
	}
}

// end notes the result of the match and the lines that describe it. It returns why the
// player with that name forfeited, if it did.
func (t *trace) end(result *protocol.MatchResult, name string, lines []*locale.Text, now time.Time) (why []*locale.Text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = result
	for _, line := range lines {
		t.result = append(t.result, "result: "+line.Error())
	}
	i := slices.IndexFunc(result.Players, func(p protocol.PlayerResult) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	t.result = append(t.result, journal.OwnEnd+result.Players[i].Ended)
	if !strings.HasPrefix(result.Players[i].Ended, protocol.Forfeit) {
		return nil
	}
	t.forfeit = true
	why = t.whyLocked(result.Players[i], now)
	t.why = why
	for _, line := range why {
		t.result = append(t.result, "why: "+line.Error())
	}
	return why
}

// whyLocked returns lines that explain a forfeit. The server knows best which line
// was refused, and how late it was; a server of another version might not say it.
func (t *trace) whyLocked(own protocol.PlayerResult, ended time.Time) (lines []*locale.Text) {
	write := func(format string, args ...any) { lines = append(lines, locale.Errorf(format, args...)) }
	f := own.Fault
	if f == nil {
		f = &protocol.Fault{}
	}
	line, asked := f.Line, f.Asked
	if own.Ended == protocol.ForfeitIllegal {
		if line == "" {
			line = t.line
		}
		if asked == "" {
			asked = string(t.asked)
		}
		write("The refused line: %s", quote(line))
		if text := lastLines(asked); text != "" {
			write("Received before it: %s", text)
		}
		if text := firstLines(string(t.after)); text != "" && line == t.line {
			write("Received after it: %s", text)
		}
		return lines
	}
	if asked == "" {
		asked = string(t.recent)
	}
	if text := lastLines(asked); text != "" {
		write("The program had last received: %s", text)
	}
	if own.Ended != protocol.ForfeitTimeout {
		if !t.wrote.IsZero() {
			write("The program's last line: %s", quote(t.line))
		}
		return lines
	}
	since := t.got
	if ended.Sub(since) < together && !t.gotPrior.IsZero() {
		since = t.gotPrior
	}
	switch used := t.wrote.Sub(since); {
	case f.Late > 0 && line != "":
		write("The line %s came %s too late", quote(line), seconds(time.Duration(f.Late)*time.Millisecond))
	case f.Late > 0:
		write("The answer came %s too late", seconds(time.Duration(f.Late)*time.Millisecond))
	case since.IsZero():
		write("The program had received nothing")
	case t.again && used.Seconds() > t.info.Timeout: // servers give more time for the first
		write("The program wrote %s %s after that, when %s are allowed: it was %s too late", quote(t.line), seconds(used), number(t.info.Timeout), seconds(used-time.Duration(t.info.Timeout*float64(time.Second))))
	case used > 0:
		write("The program wrote %s %s after that (%v), %s before the end of the match", quote(t.line), seconds(used), t.allowedLocked(), seconds(ended.Sub(t.wrote)))
	default:
		write("That was %s before the end of the match; the program wrote no line after it (%v)", seconds(ended.Sub(since)), t.allowedLocked())
	}
	if len(t.open) > 0 {
		write("It wrote %s without a line feed at the end", quote(string(t.open)))
	}
	return lines
}

// allowedLocked describes the time that the player has.
func (t *trace) allowedLocked() *locale.Text {
	if c := t.info.Clock; c != nil {
		return locale.Errorf("%s are allowed for an answer, and %s and %s more for each turn in the whole match", number(t.info.Timeout), number(c.Bank), number(c.Increment))
	}
	return locale.Errorf("%s are allowed for an answer", number(t.info.Timeout))
}

// Finish prints, after a forfeit or a failure of the program, how the program ended
// and the last lines of its stderr, and closes the log. err is how the match and the
// program ended. It must be called after Run, once.
func (m *Match) Finish(err error) {
	m.trace.mu.Lock()
	forfeit, notes := m.trace.forfeit, slices.Clone(m.trace.result)
	m.trace.mu.Unlock()
	var failed *player.Failed
	fault := errors.As(err, &failed)
	exit, tail := "", []string(nil)
	if m.Player != nil {
		exit, tail = m.Player.Exit(), m.Player.Stderr()
	}
	if exit != "" {
		notes = append(notes, journal.Exit+exit)
	}
	if err != nil {
		notes = append(notes, "coco: "+err.Error())
	}
	if fault && m.Log.Path() == "" {
		m.beginLog() // the match did not start
	}
	path := m.Log.Path()
	if err := m.Log.Close(notes...); err != nil && path != "" {
		m.Print.Line("The log is not complete: %v", err)
	}
	if m.Spectate || !forfeit && !fault {
		return
	}
	if forfeit && exit != "" {
		m.Print.Line("The program ended with %s", exit)
	}
	if len(tail) > 0 {
		m.Print.Line("The end of the program's stderr:")
		for _, line := range tail {
			m.Print.Line("  %s", strings.TrimSuffix(line, "\r"))
		}
	}
	if path != "" {
		m.Print.Line("The log of the match: %s", path)
	}
}

// quote quotes a line, shortened.
func quote(line string) string {
	short := shorten(line)
	text := strconv.Quote(short)
	if len(short) < len(line) {
		text += "…"
	}
	return text
}

// lastLines and firstLines quote the last or the first lines of a text, shortened.
func lastLines(text string) string {
	lines := split(text)
	return quoteAll(lines[max(0, len(lines)-shownLines):])
}

func firstLines(text string) string {
	lines := split(text)
	return quoteAll(lines[:min(len(lines), shownLines)])
}

func split(text string) []string {
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func quoteAll(lines []string) string {
	quoted := make([]string, len(lines))
	for i, line := range lines {
		quoted[i] = quote(line)
	}
	return strings.Join(quoted, " ")
}

// shorten cuts a line to shownBytes, between characters.
func shorten(line string) string {
	if len(line) <= shownBytes {
		return line
	}
	end := shownBytes
	for end > shownBytes-utf8.UTFMax && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end]
}

func seconds(d time.Duration) string { return number(d.Round(time.Millisecond).Seconds()) }

func number(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }
