package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// reached waits until a number of matches of a contest are over. It asks again after an
// error.
func (w *world) reached(contest string, matches int) {
	w.t.Helper()
	poll.Until(w.t, fmt.Sprintf("%d matches of %s are over", matches, contest), func() bool {
		var d programs.Contest
		body, err := fetch(w.front.Page("api/contests/" + contest))
		if err == nil {
			err = json.Unmarshal(body, &d)
		}
		return err == nil && d.Done >= matches
	})
}

// ended waits until all hosts show the end of a contest, and returns it.
func (w *world) ended(c *programs.Class, contest string, matches int) (d *programs.Contest) {
	w.t.Helper()
	w.reached(contest, matches)
	for _, h := range w.hosts {
		one := *c
		one.Host = h
		d = one.Until(contest, "the host shows the end", func(d *programs.Contest) bool { return d.State == "ended" && d.Done == d.All })
	}
	return d
}

// idle waits until no host has a match.
func (w *world) idle() {
	w.t.Helper()
	poll.Until(w.t, "no match waits or runs", func() bool {
		for i := range w.hosts {
			if len(w.lobby(i)) > 0 {
				return false
			}
		}
		return true
	}, func() any { return w.lobbies() })
}

// TestUpgradeOfEachHostAbortsNoMatch stops and starts each host in turn, while a contest
// is played and other matches between programs of coco.
func TestUpgradeOfEachHostAbortsNoMatch(t *testing.T) {
	long.Only(t, "it stops and starts three hosts during a contest")
	const students, rounds, legs, pairs = 8, 5, 2, 2
	w := start(t, 3, "drain: 10m\nserving: {rematch: 0s}\ngames: {roll: {plugin: dice}}\n")
	c := programs.Enroll(t, w.front, students)
	c.Create(fmt.Sprintf("name: upgrade\ngame: dice\nargs: {rounds: 10}\ntimeout: 60\nformat: swiss\nrounds: %d\nmatches: %d\nentries: open\ngrace: 10m\n", rounds, legs))
	daemons := c.RollAll(students, func(i int) string { return fmt.Sprintf("%d-%d slow", i, i+10) }, "--contest", "upgrade")
	c.Run("contest", "start", "upgrade")
	var stop atomic.Bool
	var playing sync.WaitGroup
	var mu sync.Mutex // guards outputs
	outputs := map[string][]string{}
	for range pairs {
		playing.Go(func() { // ends with stop
			for !stop.Load() {
				id, both := playCoco(t, w.front)
				mu.Lock()
				outputs[id] = both
				mu.Unlock()
			}
		})
	}
	for i, h := range w.Hosts {
		done := rounds * legs * students / 2 * (i + 1) / 4
		w.reached("upgrade", done)
		h.End(syscall.SIGTERM)
		if err := h.Start(); err != nil {
			t.Fatal(err)
		}
		w.whole()
	}
	d := w.ended(c, "upgrade", rounds*legs*students/2)
	stop.Store(true)
	playing.Wait()
	if all := rounds * legs * students / 2; d.Done != all || d.All != all {
		t.Errorf("got %d of %d matches, want %d", d.Done, d.All, all)
	}
	c.CheckOnce("upgrade")
	c.CheckStandings("upgrade", legs)
	c.Run("contest", "verify", "upgrade")
	programs.Drain(t, daemons)
	records := w.front.Records(t)
	for id, r := range records {
		if r.State != "finished" {
			t.Errorf("match %s of %s: got %+v, want it finished", id, r.Game, r)
		}
	}
	ended := 0
	for id, both := range outputs {
		r := records[id]
		if r == nil {
			continue // a host that stops removes the matches that wait
		}
		ended++
		for i, out := range both {
			if !strings.Contains(out, "> Game ended") || strings.Contains(out, "exit status") {
				t.Errorf("match %s, coco %d: got the record %+v and the output below, want the end of the match\n%s", id, i, r, out)
			}
		}
		for _, s := range r.Seats {
			if s.Ended != protocol.EndedFinished {
				t.Errorf("match %s: got %+v, want nobody to lose by a broken connection", id, r)
			}
		}
	}
	t.Logf("%d matches of coco, %d of them ended, while each host was stopped", len(outputs), ended)
	if ended == 0 {
		t.Error("got no match of coco that ended, want some")
	}
}

// playCoco plays a match between two programs of coco, and returns their outputs.
func playCoco(t *testing.T, front *programs.Host) (id string, outputs []string) {
	request := programs.Roshambo(0, 0)
	request.Game, request.Params.Players = "roll", new(2)
	request.Name = "coco"
	request.Args = map[string]string{"rounds": "20"}
	for id == "" {
		c, err := programs.Dial(front.URL)
		if err == nil {
			id, _ = c.Create(request) // while a host stops, another connection can have more luck
			c.Close()
		}
	}
	var playing sync.WaitGroup
	outputs = make([]string, 2)
	for i := range outputs {
		var cmd *exec.Cmd
		args := append([]string{"connect", "-n", fmt.Sprintf("p%d", i), id, "--"}, programs.DiceCommand(t, fmt.Sprintf("%d-%d slow", i, i))...)
		cmd = coco(t, front.URL, args...)
		playing.Go(func() { // ends with the match
			out, err := cmd.CombinedOutput()
			outputs[i] = string(out)
			if err != nil {
				outputs[i] += "\n" + err.Error()
			}
		})
	}
	playing.Wait()
	return id, outputs
}
