package contest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// TestLadderSurvivesItsPlayers plays a ladder among 30 daemons: some are good, some
// are bad, and others crash, hang, lose their connections, or stop and start again.
func TestLadderSurvivesItsPlayers(t *testing.T) {
	long.Only(t, "it plays 300 matches")
	t.Parallel()
	const (
		students = 30
		good     = 7  // the first ones
		healthy  = 14 // good and bad ones
		crashing = 18
		hanging  = 22
		cut      = 26 // the others stop and start again
		matches  = 300
	)
	c := newDiceClass(t, students)
	c.Create("name: stairs\ngame: dice\nargs: {rounds: 5}\ntimeout: 4\nformat: ladder\nentries: [{bot: random}, {bot: strong}, {open: true}]\n")
	c.Run("contest", "start", "stairs")
	how := func(i int) string {
		switch {
		case i < good:
			return "70-99"
		case i < healthy:
			return "0-29"
		case i < crashing:
			return "20-80 crash"
		case i < hanging:
			return "20-80 hang"
		}
		return "20-80"
	}
	concurrency := func(i int) int { return 1 + i%2 }
	options := func(i int) []string {
		return []string{"--contest", "stairs", "--concurrency", fmt.Sprint(concurrency(i))}
	}
	var daemons []*programs.Student
	var proxies []*cutproxy.Proxy
	for i := range students {
		url, with := c.Host.URL, options(i)
		if i >= hanging && i < cut {
			c.Run("contest", "enter", "stairs", programs.StudentName(i)) // the proxy is only for WebSockets
			with = with[2:]
			var p *cutproxy.Proxy
			p, url = cutproxy.Listen(t, url, cutproxy.Random(uint64(i), 0.05, 30, 4, 10*time.Millisecond))
			proxies = append(proxies, p)
		}
		daemons = append(daemons, c.Roll(programs.StudentName(i), url, how(i), with...))
	}
	for i := cut; i < students; i++ {
		c.Plays("stairs", matches*(i-cut+1)/(students-cut+1))
		daemons[i].Stop([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[i%2])
		daemons[i] = c.Roll(programs.StudentName(i), c.Host.URL, how(i), options(i)...)
	}
	// A match of a player that hangs takes 4 s, and one that loses its connection again and
	// again can get no match for a minute.
	c.Plays("stairs", matches)
	c.Until("stairs", "everybody healthy has had several matches", func(d *programs.Contest) bool {
		least := matches
		for i := range healthy {
			n := slices.IndexFunc(d.Standings, func(r programs.ContestRow) bool { return r.Name == programs.StudentName(i) })
			least = min(least, d.Standings[n].Played)
		}
		return least >= 8
	})
	c.Run("contest", "end", "stairs")
	d := c.Ended("stairs")
	poll.Until(t, "no match runs", func() bool {
		var lobby struct{ Running, Waiting []any }
		c.Get("api/lobby", &lobby)
		return len(lobby.Running)+len(lobby.Waiting) == 0
	})
	played := map[string]int{}
	rating := map[string]float64{}
	for _, s := range d.Standings {
		played[s.Name], rating[s.Name] = s.Played, s.Rating
		t.Logf("%-11s %4.0f (%4.0f to %4.0f), %d matches, %d won, %d lost", s.Name, s.Rating, s.Low, s.High, s.Played, s.Wins, s.Losses)
	}
	if len(d.Standings) != students+2 {
		t.Errorf("got %d standings, want %d", len(d.Standings), students+2)
	}
	least, most := matches, 0
	for i := range healthy { // those with one match at a time, and those with two
		least, most = min(least, played[programs.StudentName(i)]/concurrency(i)), max(most, played[programs.StudentName(i)]/concurrency(i))
	}
	if least*6 < most || least == 0 {
		t.Errorf("got from %d to %d matches of healthy players, want at most six times as many: %v", least, most, played)
	}
	var better, worse []float64
	for i := range healthy {
		if i < good {
			better = append(better, rating[programs.StudentName(i)])
		} else {
			worse = append(worse, rating[programs.StudentName(i)])
		}
	}
	slices.Sort(better)
	slices.Sort(worse)
	if better[good/2] < worse[good/2]+100 {
		t.Errorf("got the ratings %v of good players and %v of bad ones, want the good ones clearly above", better, worse)
	}
	if rating["bot:random"] != 1500 || rating["bot:strong"] <= 1500 && played["bot:strong"] > 10 {
		t.Errorf("got %v for the random bot and %v for the strong one, want 1500 and more", rating["bot:random"], rating["bot:strong"])
	}
	for i, p := range proxies {
		if n := p.Connections(); n < 2 {
			t.Errorf("%s: got %d connections, want several", programs.StudentName(hanging+i), n)
		}
	}
	most = 0
	for name, n := range c.most() {
		i := slices.IndexFunc(daemons, func(d *programs.Student) bool { return d.Name == name })
		if i >= 0 && n > concurrency(i) {
			t.Errorf("%s: got %d matches at the same time, want at most %d", name, n, concurrency(i))
		}
		most = max(most, n)
	}
	if most < 2 {
		t.Errorf("got at most %d match of a player at the same time, want 2 of some", most)
	}
	c.checkRungs("stairs")
	c.Run("contest", "verify", "stairs")
	programs.Drain(t, daemons)
}

// most returns how many matches each player had at the same time at most, by the
// records.
func (c *class) most() map[string]int {
	c.t.Helper()
	type change struct {
		at  time.Time
		add int
	}
	changes := map[string][]change{}
	for after := ""; ; {
		var page struct {
			Matches []struct {
				Started, Ended time.Time
				Seats          []struct{ Name string }
			}
			Next string
		}
		_, body := programs.Get(c.t, c.Host.Page("api/matches?limit=500&after="+after))
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			c.t.Fatal(err)
		}
		for _, m := range page.Matches {
			for _, s := range m.Seats {
				changes[s.Name] = append(changes[s.Name], change{m.Started, 1}, change{m.Ended, -1})
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	most := map[string]int{}
	for name, list := range changes {
		slices.SortFunc(list, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), a.add-b.add) })
		running := 0
		for _, one := range list {
			running += one.add
			most[name] = max(most[name], running)
		}
	}
	return most
}

// checkRungs checks that the standings of a ladder count its records: all matches of
// the host are its own. Those that were running when the ladder ended are in records.
func (c *class) checkRungs(name string) {
	c.t.Helper()
	want := map[string]int{}
	for _, r := range c.Host.Records(c.t) {
		if r.State != "finished" {
			continue
		}
		for _, s := range r.Seats {
			if !strings.HasPrefix(s.Name, "ServerBot") {
				want[s.Name]++
			}
		}
	}
	d := c.Contest(name)
	for _, s := range d.Standings {
		if got := s.Played; !strings.HasPrefix(s.Name, "bot:") && (got > want[s.Name] || got < want[s.Name]-2) {
			c.t.Errorf("%s: got %d matches in the standings, want %d as in the records", s.Name, got, want[s.Name])
		}
	}
}
