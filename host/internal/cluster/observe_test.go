package cluster

import (
	"slices"
	"testing"
	"time"

	"colosseum/host/internal/records/store"
)

// TestHostIsDeadAfterBothSilences looks each second at a host, in virtual time.
func TestHostIsDeadAfterBothSilences(t *testing.T) {
	t.Parallel()
	type second struct {
		from, to                int
		beats, heard, seesTable bool
		generation              int64 // 0: 1
	}
	for name, test := range map[string]struct {
		looks []second
		dead  int // the first second at which the host is dead; 0: never
		ended int // the second at which it is known that another host has fenced it
	}{
		"silent in both":                    {looks: []second{{from: 0, to: 30, seesTable: true}}, dead: 8},
		"silent in PostgreSQL alone":        {looks: []second{{from: 0, to: 30, heard: true, seesTable: true}}},
		"silent in NATS alone":              {looks: []second{{from: 0, to: 30, beats: true, seesTable: true}}},
		"silent after its last beat":        {looks: []second{{from: 0, to: 5, beats: true, heard: true, seesTable: true}, {from: 5, to: 30, seesTable: true}}, dead: 12},
		"heard once more":                   {looks: []second{{from: 0, to: 7, seesTable: true}, {from: 7, to: 8, heard: true, seesTable: true}, {from: 8, to: 30, seesTable: true}}, dead: 15},
		"time without looks does not count": {looks: []second{{from: 0, to: 5, seesTable: true}, {from: 5, to: 20}, {from: 20, to: 40, seesTable: true}}, dead: 24},
		"fenced by another host":            {looks: []second{{from: 0, to: 7, seesTable: true}, {from: 7, to: 30, generation: 2, seesTable: true}}, ended: 7},
		"fenced and come back":              {looks: []second{{from: 0, to: 7, seesTable: true}, {from: 7, to: 9, generation: 2, seesTable: true}, {from: 9, to: 12, generation: 3, beats: true, seesTable: true}, {from: 12, to: 40, generation: 3, seesTable: true}}, ended: 7, dead: 19},
		"started again":                     {looks: []second{{from: 0, to: 2, seesTable: true}, {from: 2, to: 30, generation: 2, seesTable: true}}, dead: 10},
	} {
		t.Run(name, func(t *testing.T) {
			o := observer{silent: 8 * time.Second, hosts: map[string]*observed{}}
			start := time.Now()
			row, at := store.HostRow{Name: "b", Generation: 1}, start
			gotDead, gotEnded := 0, 0
			for _, l := range test.looks {
				for s := l.from; s < l.to; s++ {
					now := start.Add(time.Duration(s) * time.Second)
					if l.beats {
						row.Beat++
					}
					if l.heard {
						at = now
					}
					row.Generation = max(l.generation, row.Generation)
					if !l.seesTable {
						o.failed()
						continue
					}
					dead, ended := o.look(now, []store.HostRow{{Name: "a", Generation: 9}, row}, "a", func(string) time.Time { return at })
					if len(dead) > 0 && gotDead == 0 {
						gotDead = s
						if !slices.Equal(dead, []store.HostRow{row}) {
							t.Errorf("at %d s got the dead hosts %v, want %v", s, dead, row)
						}
					}
					if len(ended) > 0 && gotEnded == 0 {
						gotEnded = s
					}
				}
			}
			if gotDead != test.dead || gotEnded != test.ended {
				t.Errorf("got dead at %d s and fenced by another at %d s, want %d and %d", gotDead, gotEnded, test.dead, test.ended)
			}
		})
	}
}

// TestPausedObserverTakesNobodyForDead looks again after an hour.
func TestPausedObserverTakesNobodyForDead(t *testing.T) {
	t.Parallel()
	o := observer{silent: 8 * time.Second, hosts: map[string]*observed{}}
	start := time.Now()
	rows := []store.HostRow{{Name: "b", Generation: 1}}
	o.look(start, rows, "a", func(string) time.Time { return start })
	if dead, _ := o.look(start.Add(time.Hour), rows, "a", func(string) time.Time { return start }); len(dead) > 0 {
		t.Errorf("got the dead hosts %v, want none", dead)
	}
}

// TestHostThatIsNoLongerInTheTableHasEnded looks at a host that another one fences, and
// that comes back.
func TestHostThatIsNoLongerInTheTableHasEnded(t *testing.T) {
	t.Parallel()
	o := observer{silent: 8 * time.Second, hosts: map[string]*observed{}}
	start := time.Now()
	row := store.HostRow{Name: "b", Generation: 1}
	for s, rows := range [][]store.HostRow{{row}, {}, {}, {{Name: "b", Generation: 3}}, {}} {
		_, ended := o.look(start.Add(time.Duration(s)*time.Second), rows, "a", func(string) time.Time { return start })
		if want := s == 1 || s == 4; (len(ended) == 1 && ended[0] == "b") != want || len(ended) > 1 {
			t.Errorf("at %d s got the hosts %q as ended, want b: %v", s, ended, want)
		}
	}
}

// TestFencedHostIsFencedOnce looks at a host that never comes back.
func TestFencedHostIsFencedOnce(t *testing.T) {
	t.Parallel()
	o := observer{silent: 8 * time.Second, hosts: map[string]*observed{}}
	row := store.HostRow{Name: "b", Generation: 1}
	fenced, known := 0, 0
	start := time.Now()
	for s := range 60 {
		dead, ended := o.look(start.Add(time.Duration(s)*time.Second), []store.HostRow{row}, "a", func(string) time.Time { return start })
		for range dead {
			fenced++
			row.Generation++
		}
		known += len(ended)
	}
	if fenced != 1 || known != 1 {
		t.Errorf("got %d fences in a minute, and %d times that the host was fenced, want 1 and 1", fenced, known)
	}
}

func TestHostThatIsNoLongerInTheTableHasEndedOnce(t *testing.T) {
	t.Parallel()
	start := time.Now()
	o := observer{silent: 8 * time.Second, hosts: map[string]*observed{}}
	heard := func(string) time.Time { return start }
	all := []store.HostRow{{Name: "a", Generation: 1}, {Name: "b", Generation: 1}, {Name: "c", Generation: 1}}
	o.look(start, all, "a", heard)
	for i, want := range []int{1, 0} {
		dead, ended := o.look(start.Add(time.Duration(i+1)*time.Second), all[:2], "a", heard)
		if len(dead) > 0 || len(ended) != want || want > 0 && ended[0] != "c" {
			t.Errorf("look %d: got dead %v and ended %v, want %d ended: c, once", i, dead, ended, want)
		}
	}
}
