package contest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// teamOrganizer returns an organizer with the registered players p0 to p19, and a contest of
// teams with two boards and a reserve.
func teamOrganizer(t *testing.T, text string) *Organizer {
	t.Helper()
	o, _ := newOrganizer(t)
	players := registry{}
	for i := range 20 {
		players[fmt.Sprint("p", i)] = fmt.Sprint("P", i)
	}
	o.Players = players
	mustCreate(t, o, "matches: 1\nteams: {size: 2, reserves: 1}\n"+text)
	return o
}

// lines describes the teams of a contest, a line for each.
func lines(t *testing.T, o *Organizer) (list []string) {
	t.Helper()
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Entries {
		line := fmt.Sprintf("%s %s: %s", e.Name, e.Team.Captain, strings.Join(e.Team.Members(), " "))
		if e.Team.Invited != nil {
			line += " (" + strings.Join(e.Team.Invited, " ") + ")"
		}
		if e.Withdrawn {
			line += " withdrawn: " + e.Reason
		}
		list = append(list, line)
	}
	return list
}

func TestCaptainEntersATeamAndItsPlayersAccept(t *testing.T) {
	o := teamOrganizer(t, "format: swiss\nentries: open\n")
	enter := func(player, team string, others ...string) func() error {
		return func() error { return o.EnterTeam(t.Context(), "cup", player, team, others) }
	}
	lineUp := func(by, team string, players ...string) func() error {
		return func() error { return o.LineUp(t.Context(), "cup", by, team, players) }
	}
	leave := func(player string) func() error { return func() error { return o.Leave(t.Context(), "cup", player) } }
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"the captain founds it", enter("P0", "reds", "p1", "p2"), "reds P0: P0 (P1 P2)"},
		{"a player accepts", enter("P1", "Reds"), "reds P0: P0 P1 (P2)"},
		{"a player is invited by two teams", enter("P3", "blues", "p2", "p4"), "reds P0: P0 P1 (P2); blues P3: P3 (P2 P4)"},
		{"and accepts in one", enter("P2", "blues"), "reds P0: P0 P1 (P2); blues P3: P3 P2 (P4)"},
		{"a player declines", leave("P4"), "reds P0: P0 P1 (P2); blues P3: P3 P2"},
		{"the captain changes the boards, and invites another one", lineUp("P0", "reds", "p1", "p0", "p5"), "reds P0: P1 P0 (P5); blues P3: P3 P2"},
		{"the organizer names a player", lineUp("", "reds", "p5", "p1", "p0"), "reds P0: P5 P1 P0; blues P3: P3 P2"},
		{"a player leaves", leave("P2"), "reds P0: P5 P1 P0; blues P3: P3"},
		{"the captain withdraws the team", leave("P0"), "reds P0: P5 P1 P0 withdrawn: ; blues P3: P3"},
		{"and brings it back", enter("P0", "reds"), "reds P0: P5 P1 P0; blues P3: P3"},
		{"the organizer replaces the captain", lineUp("", "reds", "p5", "p6"), "reds P5: P5 P6; blues P3: P3"},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: got %v, want no error", step.name, err)
		}
		if got := strings.Join(lines(t, o), "; "); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	if err := o.Enter(t.Context(), "cup", player("p6"), true); err != nil {
		t.Errorf("a member enters: got %v, want no error", err)
	}
	greens := Entry{Name: "greens", Team: &Team{Captain: "p7", Players: []string{"p7", "p8"}}}
	if err := o.Enter(t.Context(), "cup", []Entry{greens}, false); err != nil {
		t.Fatal(err)
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(lines(t, o), "; "), "reds P5: P5 P6; blues P3: P3 withdrawn: fewer than 2 players at the start; greens P7: P7 P8"; got != want {
		t.Errorf("at the start: got %q, want %q", got, want)
	}
}

func TestTeamIsRefused(t *testing.T) {
	const open = "format: swiss\nentries: open\n"
	reds := func(t *testing.T, o *Organizer) {
		t.Helper()
		if err := o.EnterTeam(t.Context(), "cup", "P0", "reds", []string{"p1"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, text string
		do         func(t *testing.T, o *Organizer) error
		want       string
	}{
		{"a single player", open, func(t *testing.T, o *Organizer) error { return o.Enter(t.Context(), "cup", player("p1"), true) }, "the contest cup is for teams: coco contest enter cup --team NAME PLAYER..."},
		{"too many players", open, func(t *testing.T, o *Organizer) error {
			return o.EnterTeam(t.Context(), "cup", "P0", "reds", []string{"p1", "p2", "p3"})
		}, "the team reds has 4 players: it can have 3, with 1 reserves"},
		{"an unknown player", open, func(t *testing.T, o *Organizer) error {
			return o.EnterTeam(t.Context(), "cup", "P0", "reds", []string{"zoe"})
		}, "the player zoe is not registered"},
		{"a bad name", open, func(t *testing.T, o *Organizer) error { return o.EnterTeam(t.Context(), "cup", "P0", "the reds", nil) }, `its name "the reds" is not`},
		{"a player that was not invited", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.EnterTeam(t.Context(), "cup", "P2", "reds", nil)
		}, "the team reds has not invited P2: its captain P0 can: coco contest lineup cup reds PLAYER..."},
		{"a second team of the captain", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.EnterTeam(t.Context(), "cup", "P0", "blues", nil)
		}, "P0 is in the team reds of the contest cup"},
		{"a new team after a withdrawal", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			if err := o.Leave(t.Context(), "cup", "P0"); err != nil {
				t.Fatal(err)
			}
			return o.EnterTeam(t.Context(), "cup", "P0", "blues", nil)
		}, "coco contest enter cup --team reds brings it back"},
		{"the change of another team", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.LineUp(t.Context(), "cup", "P1", "reds", []string{"p1", "p0"})
		}, "P1 cannot change the team reds: its captain P0 can"},
		{"a captain without its team", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.LineUp(t.Context(), "cup", "P0", "reds", []string{"p1", "p2"})
		}, "its captain P0 is not one of its players"},
		{"a player twice", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.LineUp(t.Context(), "cup", "P0", "reds", []string{"p0", "P1", "p1"})
		}, "P1 is listed twice"},
		{"a start with one team", open, func(t *testing.T, o *Organizer) error { reds(t, o); return o.Start(t.Context(), "cup") }, "has 0 teams of 2 players, and needs at least 2"},
		{"a player of a closed contest", "format: swiss\nentries: [{name: reds, team: {captain: p0, players: [p0, p1]}}]\n", func(t *testing.T, o *Organizer) error {
			return o.LineUp(t.Context(), "cup", "P0", "reds", []string{"p0", "p1", "p2"})
		}, "the contest cup is not open: its organizer names the players"},
		{"an incomplete team of the organizer", open, func(t *testing.T, o *Organizer) error {
			return o.Enter(t.Context(), "cup", []Entry{{Name: "reds", Team: &Team{Players: []string{"p1"}}}}, false)
		}, "the team reds has 1 players: it needs 2"},
		{"a player of another team", open, func(t *testing.T, o *Organizer) error {
			reds(t, o)
			return o.Enter(t.Context(), "cup", []Entry{{Name: "blues", Team: &Team{Players: []string{"p0", "p2"}}}}, false)
		}, "P0 is in the team reds of the contest cup"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := teamOrganizer(t, tt.text)
			if err := tt.do(t, o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestSpecOfTeamsIsRefused(t *testing.T) {
	const entries = "entries: [{name: reds, team: {players: [a, b]}}, {name: blues, team: {players: [c, d]}}]\n"
	for _, tt := range []struct{ name, text, want string }{
		{"a ladder", "format: ladder\nteams: {size: 2}\nentries: open\n", "teams: they do not play a ladder"},
		{"four players", "format: swiss\nplayers: 4\nteams: {size: 2}\n" + entries, "a board has 2 players"},
		{"one board", "format: swiss\nteams: {size: 1}\n" + entries, "teams.size: 1 is not from 2 to 16"},
		{"other points", "format: swiss\nteams: {size: 2, points: wins}\n" + entries, `teams.points: "wins" is not one of boards, match`},
		{"an unknown key", "format: swiss\nteams: {sise: 2}\n" + entries, "sise"},
		{"too many matches", "format: swiss\nmatches: 600\nteams: {size: 2}\n" + entries, "600 on each of 2 boards"},
		{"a single player", "format: swiss\nteams: {size: 2}\nentries: [{player: ana}]\n", "number 1 is no team"},
		{"no teams", "format: swiss\n" + entries, "number 1 is a team: write"},
		{"a player in two teams", "format: swiss\nteams: {size: 2}\nentries: [{name: r, team: {players: [a, b]}}, {name: s, team: {players: [B, c]}}]\n", "B is in the teams r and s"},
		{"too few players", "format: swiss\nteams: {size: 3}\n" + entries, "the team reds has 2 players: it needs 3"},
		{"another captain", "format: swiss\nteams: {size: 2}\nentries: [{name: r, team: {captain: x, players: [a, b]}}]\n", "its captain x is not one of its players"},
		{"no name", "format: swiss\nteams: {size: 2}\nentries: [{team: {players: [a, b]}}]\n", "the team has no name"},
		{"a tie-break of teams", "format: swiss\ntie_breaks: [match-points]\nentries: open\n", "match-points is for a contest of teams"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadSpec([]byte("name: cup\ngame: duel\n" + tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// teamState returns a contest of two teams with three boards and two matches on each, of which
// the first pairing is made.
func teamState(t *testing.T) *State {
	t.Helper()
	s, err := NewState(store.Contest{Name: "cup", Game: "duel", Seed: 7, Spec: "name: cup\ngame: duel\nformat: round-robin\nteams: {size: 3, reserves: 1}\nentries: open\n"})
	if err != nil {
		t.Fatal(err)
	}
	reds := &Team{Captain: "a", Players: []string{"a", "b", "c", "r"}}
	blues := &Team{Captain: "x", Players: []string{"x", "q", "y", "z"}, Invited: []string{"q"}}
	apply(t, s,
		newEvent(Enter, eventData{Entries: []Entry{{Name: "reds", Team: reds}, {Name: "blues", Team: blues}}}),
		newEvent(Start, eventData{Numbers: []int{0, 1}, Groups: true}),
		newEvent(PairUp, eventData{Pairings: []pairing.Pairing{{Entrants: []int{0, 1}}}}))
	return s
}

func apply(t *testing.T, s *State, events ...store.Event) {
	t.Helper()
	for _, e := range events {
		e.Number = s.Last() + 1
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
}

// won adds the result of a leg of the first pairing, which an entry wins; -1: nobody.
func won(t *testing.T, s *State, leg, winner int) {
	t.Helper()
	f := s.Fixture(0, leg)
	r := store.Result{Number: int64(leg + 1), Contest: "cup", Leg: leg, Match: fmt.Sprint("m", leg)}
	for _, n := range f.Seats {
		seat := store.ResultSeat{Entry: n, Rank: 1, Ended: driver.EndedFinished}
		if winner >= 0 && n != winner {
			seat.Rank = 2
		}
		r.Seats = append(r.Seats, seat)
	}
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
}

func TestPairingOfTeamsHasTheLegsOfAllBoards(t *testing.T) {
	s := teamState(t)
	apply(t, s, newEvent(LineUp, eventData{Numbers: []int{0}, Players: []string{"r", "c", "b", "a"}})) // for the next pairing
	var got []string
	seeds := map[uint64]int{}
	for leg := range s.Pairs[0].Legs {
		m := s.Match(s.Fixture(0, leg))
		got = append(got, fmt.Sprint(m.Seats, " ", m.Entries[0].Player, "-", m.Entries[1].Player))
		seeds[m.Seed]++
	}
	want := []string{"[0 1] a-x", "[1 0] x-a", "[1 0] y-b", "[0 1] b-y", "[0 1] c-z", "[1 0] z-c"}
	if !slices.Equal(got, want) || len(seeds) != 3 {
		t.Errorf("got the legs %q with %d seeds, want %q with one for each board", got, len(seeds), want)
	}
	if due := s.Due(9, nil, map[string]bool{"b": true}); len(due) != 2 || due[0].Leg != 0 || due[1].Leg != 4 {
		t.Errorf("got %+v, want the first legs of the boards whose players are free", due)
	}
	if got, want := strings.Join(s.Needed(), ""), "rcbxyza"; got != want {
		t.Errorf("got the players %s that have to be free, want %s: those of this pairing and of the next one", got, want)
	}
}

func TestBoardsOfATeamAreInItsStandings(t *testing.T) {
	s := teamState(t)
	for leg, winner := range []int{0, 0, 1, -1, 0} {
		won(t, s, leg, winner)
	}
	apply(t, s, NewAbsent(s.Fixture(0, 5), []int{1}))
	v, err := s.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	reds := v.Standings[0]
	if reds.Name != "reds" || reds.Points != 4.5 || reds.Played != 5 || reds.Wins != 3 || reds.TieBreaks[0] != 1 {
		t.Errorf("got %+v, want the reds with 4.5 board points and a match point", reds)
	}
	var got []string
	for _, r := range v.Standings {
		for _, b := range r.Boards {
			got = append(got, fmt.Sprint(b.Player, b.Board, " ", b.Points, " of ", b.Played, " ", b.Rating > 1500))
		}
	}
	want := []string{"a1 2 of 2 true", "b2 0.5 of 2 false", "c3 2 of 1 true", "r0 0 of 0 false", "x1 0 of 2 false", "y2 1.5 of 2 true", "z3 0 of 1 false"}
	if !slices.Equal(got, want) {
		t.Errorf("got the boards %q, want %q", got, want)
	}
	m := v.Matches[2]
	if m.Board != 2 || !slices.Equal(m.Seats, []string{"blues", "reds"}) || !slices.Equal(m.Players, []string{"y", "b"}) {
		t.Errorf("got the match %+v, want y of the blues against b of the reds on board 2", m)
	}
	if p, ok := v.Participation("Y"); !ok || p.Team != "blues" || p.Points != 1.5 || p.Rank != 2 {
		t.Errorf("got %+v, want the part of y in the blues", p)
	}
	if _, ok := v.Participation("q"); ok {
		t.Error("got the part of an invited player, want none")
	}
	csv := strings.Split(string(v.CSV()), "\n")
	if want := "rank,team,player,board,points,played,wins,draws,losses,forfeits,match-points,direct,sonneborn-berger,wins,rating,low,high,withdrawn"; csv[0] != want {
		t.Errorf("got the head %q, want %q", csv[0], want)
	}
	if want := "1,reds,b,2,0.5,2,0,1,1,0,,,,,"; !strings.HasPrefix(csv[3], want) {
		t.Errorf("got the line %q, want one that begins with %q", csv[3], want)
	}
}

// A board without a player is lost, and the others are played.
func TestTeamThatHasLostAPlayerLosesABoard(t *testing.T) {
	s := teamState(t)
	apply(t, s, newEvent(LineUp, eventData{Numbers: []int{1}, Players: []string{"x", "y"}}),
		newEvent(PairUp, eventData{Pairings: []pairing.Pairing{{Round: 1, Entrants: []int{0, 1}}}}))
	for leg, l := range s.Pairs[1].Legs {
		if board := leg / 2; (l.State == Walkover) != (board == 2) || board == 2 && !slices.Equal(l.Absent, []int{1}) {
			t.Errorf("leg %d: got %+v, want a walkover on the third board alone", leg, l)
		}
	}
	if _, err := s.Standings(); err != nil {
		t.Fatal(err)
	}
	apply(t, s, newEvent(Withdraw, eventData{Numbers: []int{0}}))
	for leg, l := range s.Pairs[1].Legs {
		if l.State != Walkover || !slices.Equal(l.Absent, []int{leg / 4}) { // the blues have nobody for the third board
			t.Errorf("leg %d: got %+v, want a walkover after the withdrawal", leg, l)
		}
	}
}

func TestMemberThatIsRenamedHasToComeToItsMatches(t *testing.T) {
	s := teamState(t)
	won(t, s, 0, 0)
	s.renameMember(0, "A", "ann")
	if got := s.Match(s.Fixture(0, 1)).Entries[1].Player; got != "ann" {
		t.Errorf("got the player %s, want ann", got)
	}
	if team := s.Entries[0].Team; team.Captain != "ann" || team.Players[0] != "ann" {
		t.Errorf("got the team %+v, want ann as its captain", team)
	}
	rows, err := s.Standings()
	if err != nil {
		t.Fatal(err)
	}
	if b := rows[0].Boards[0]; b.Player != "ann" || b.Points != 1 {
		t.Errorf("got %+v, want ann with the point that it had before", b)
	}
}

// What an organizer decides about a leg counts on the board of its players.
func TestDecisionsCountOnBoards(t *testing.T) {
	s := teamState(t)
	for leg := range 6 {
		won(t, s, leg, 0)
	}
	points := []float64{0.5, 0.5}
	apply(t, s,
		newEvent(Rule, eventData{Leg: 0, Ruling: &Ruling{Action: Set, Points: points}, Reason: "a"}),
		newEvent(Rule, eventData{Leg: 2, Ruling: &Ruling{Action: Annul}, Reason: "b"}),
		newEvent(Rule, eventData{Leg: 4, Ruling: &Ruling{Action: Replay}, Reason: "c"}))
	rows, err := s.Standings()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		for _, b := range r.Boards {
			got = append(got, fmt.Sprint(b.Player, " ", b.Points, " of ", b.Played, ", ", b.Wins, b.Draws, b.Losses))
		}
	}
	want := []string{"a 1.5 of 2, 1 1 0", "b 1 of 1, 1 0 0", "c 1 of 1, 1 0 0", "r 0 of 0, 0 0 0", "x 0.5 of 2, 0 1 1", "y 0 of 1, 0 0 1", "z 0 of 1, 0 0 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if m := s.Match(s.Fixture(0, 4)); m.Entries[0].Player != "c" || m.Attempt != 1 {
		t.Errorf("got %+v, want c to play its leg again", m)
	}
}

func TestRegisteredMemberIsRenamed(t *testing.T) {
	s := teamState(t)
	apply(t, s, newEvent(Rename, eventData{Numbers: []int{0}, Name: "ann", Players: []string{"a", "ann"}}))
	if got := s.Match(s.Fixture(0, 0)).Entries[0].Player; got != "ann" || s.Entries[0].Team.Captain != "ann" || s.Entries[0].Name != "reds" {
		t.Errorf("got the player %s and the team %+v, want ann in both", got, s.Entries[0])
	}
}
