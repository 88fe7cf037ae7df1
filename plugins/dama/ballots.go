//go:build go1.21

package main

import "strings"

// ballotsWord is the value of the parameter start that draws an opening from the list of
// a federation.
const ballotsWord = "ballots"

// ballots returns the list of openings from which events by these rules draw, or nil if
// we know none. Each is a text that parseOpening reads.
func ballots(r *Rules) []string {
	switch r.Name {
	case "italian":
		return lastMoves(italianBallots)
	case "english":
		return lastMoves(englishBallots)
	case "russian":
		return strings.FieldsFunc(russianBallots, func(c rune) bool { return c == ';' || c == '\n' })
	default:
		return nil
	}
}

// lastMoves returns the openings of a list of which each line has the first moves, a colon,
// and the moves of which each completes an opening.
func lastMoves(list string) []string {
	var openings []string
	for _, line := range strings.Split(list, "\n") {
		colon := strings.IndexByte(line, ':')
		for _, last := range strings.Fields(line[colon+1:]) {
			openings = append(openings, line[:colon]+" "+last)
		}
	}
	return openings
}

// italianBallots are the 174 openings of the general table of the Federazione Italiana Dama
// ("Regolamento tecnico"), after the list ItalianOpeningTable of the server Lidraughts.
const italianBallots = `21-17 9-13: 25-21 26-21 22-18
21-17 10-13: 17-10
21-17 10-14: 26-21 17-13 22-18 22-19 23-19 23-20 24-20
21-17 11-14: 25-21 26-21 22-18 22-19 23-19 23-20 24-20
21-17 11-15: 25-21 26-21 22-18 22-19 23-20
21-17 12-15: 25-21 26-21 22-18 22-19 23-19 23-20
21-17 12-16: 25-21 26-21 22-18 22-19 23-19 23-20 24-20
21-18 10-13: 25-21 26-21 22-19 23-19 23-20
21-18 10-14: 25-21 22-19 23-19 23-20
21-18 11-14: 18-11
21-18 11-15: 25-21 26-21 23-20 18-14 22-19
21-18 12-15: 25-21 23-19 23-20 22-19
21-18 12-16: 25-21 22-19 23-19 23-20
22-18 10-13: 27-22 18-14 21-17 23-19 23-20
22-18 10-14: 26-22 27-22 23-19 23-20 24-20
22-18 11-14: 18-11
22-18 11-15: 23-19 23-20 18-14 27-22
22-18 12-15: 26-22 27-22 23-19 23-20 18-14
22-18 12-16: 26-22 27-22 23-19 23-20 18-14
22-19 9-13: 26-22 27-22 21-17 21-18 23-20 19-14
22-19 10-13: 26-22 27-22 21-17 23-20 19-15
22-19 10-14: 19-10
22-19 11-14: 26-22 27-22 21-18 23-20 24-20
22-19 11-15: 26-22 27-22 23-20
22-19 12-15: 19-12
22-19 12-16: 26-22 27-22 19-15 23-20 24-20
23-19 9-13: 28-23 21-17 21-18 22-18 19-15
23-19 10-13: 28-23 21-17 19-14 19-15
23-19 10-14: 19-10
23-19 11-14: 28-23 21-18 22-18 24-20 19-15
23-19 11-15: 28-23 21-17 21-18
23-19 12-15: 19-12
23-19 12-16: 28-23 24-20 19-14
23-20 9-13: 27-23 28-23 21-17 21-18 22-18 20-16
23-20 10-13: 21-17 27-23 28-23 20-16
23-20 10-14: 27-23 28-23 20-15 20-16 22-19
23-20 11-14: 27-23 28-23 21-18 22-18 20-16
23-20 11-15: 20-11
23-20 12-15: 27-23 28-23 20-16 22-19
23-20 12-16: 20-15 27-23
24-20 9-13: 21-17 21-18 20-15 20-16
24-20 10-13: 20-15 20-16
24-20 10-14: 20-15 20-16 21-18
24-20 11-14: 20-15 20-16 21-18
24-20 11-15: 20-11
24-20 12-15: 20-16
24-20 12-16: 28-24`

// englishBallots are the 156 openings of the American Checker Federation's list of three-move
// ballots, without the 18 that are barred, after utility.cpp of CheckerBoard by Martin Fierz
// and Ed Gilbert. Black begins.
const englishBallots = `9-13 21-17: 5-9 6-9
9-13 22-17: 13x22
9-13 22-18: 6-9 10-14 10-15 11-15 11-16 12-16
9-13 23-18: 5-9 6-9 10-15 11-15 11-16 12-16
9-13 23-19: 5-9 6-9 10-14 10-15 11-16
9-13 24-19: 5-9 6-9 10-14 11-15 11-16
9-13 24-20: 5-9 6-9 10-14 10-15 11-15 11-16
9-14 22-17: 5-9 6-9 11-15 11-16
9-14 22-18: 5-9 10-15 11-15 11-16
9-14 23-18: 14x23
9-14 23-19: 5-9 11-16 14-18
9-14 24-19: 5-9 11-15 11-16
9-14 24-20: 5-9 10-15 11-15 11-16
10-14 22-17: 7-10 9-13 11-15 11-16 14-18
10-14 22-18: 6-10 7-10 11-15 11-16 12-16
10-14 23-18: 14x23
10-14 23-19: 6-10 7-10 11-15 11-16 14-18
10-14 24-19: 6-10 7-10 11-16 14-18
10-14 24-20: 6-10 7-10 11-15 11-16 14-18
10-15 21-17: 6-10 7-10 9-13 11-16 15-18
10-15 22-17: 6-10 7-10 9-13 11-16 15-19
10-15 22-18: 15x22
10-15 23-18: 6-10 7-10 9-14 11-16 12-16
10-15 23-19: 6-10 7-10 11-16
10-15 24-19: 15x24
10-15 24-20: 6-10 7-10 15-19
11-15 21-17: 8-11 9-13 9-14 15-19
11-15 22-17: 8-11 9-13 15-18 15-19
11-15 22-18: 15x22
11-15 23-18: 8-11 9-14 10-14 12-16 15-19
11-15 23-19: 8-11 9-13 9-14
11-15 24-19: 15x24
11-15 24-20: 8-11 12-16 15-18
11-16 21-17: 7-11 8-11 9-13 9-14 16-20
11-16 22-17: 7-11 8-11 9-13 16-20
11-16 22-18: 7-11 8-11 16-19 16-20
11-16 23-18: 7-11 8-11 9-14 10-14 16-20
11-16 23-19: 16x23
11-16 24-19: 7-11 8-11 16-20
11-16 24-20: 7-11 16-19
12-16 21-17: 9-13 9-14 16-19 16-20
12-16 22-17: 16-19 16-20
12-16 22-18: 16-19 16-20
12-16 23-18: 16-19 16-20
12-16 24-19: 16-20
12-16 24-20: 8-12 10-15`

// russianBallots are the 163 openings by moves of the drawing tables for draughts-64 of the
// Fédération Mondiale du Jeu de Dames, in their order and short notation, after OpeningTable
// of Lidraughts. The tables' other positions have men on squares that no moves lead to.
const russianBallots = `ab4 ba5 ba3 ab6 ab2 dc5;ab4 ba5 ba3 cb6 cb2 de5;ab4 ba5 ba3 cb6 gh4 fe5;ab4 ba5 ba3 fe5 gh4;ab4 ba5 ed4 ab6 fe3 ba7;ab4 ba5 ed4 ab6 fe3 dc5;ab4 ba5 ed4 ab6 fe3 fe5;ab4 ba5 ed4 ab6 fe3 hg5;ab4 ba5 ed4 dc5 bd6 ce5;ab4 ba5 gh4 fe5 hg3;ab4 bc5 ba5 cb4 ed4 fe5;ab4 bc5 ba5 cb4 ed4 fg5;ab4 bc5 ba5 cb4 ed4 hg5;ab4 bc5 ba5 cb4 gf4 fe5;ab4 bc5 ba5 cb4 gh4;ab4 dc5 bd6 ec5 gh4
ab4 dc5 bd6 ce5 ef4;ab4 de5 ba5 fg5 ef4;ab4 de5 ba3 fg5;ab4 de5 ba3 fg5 gf4;ab4 de5 ed4 hg5 ba5;ab4 fe5 gh4 gf6 fg3;ab4 fg5 ba5 gf6 ed4;ab4 fg5 ba3 ef6 ed4;ab4 hg5 ba3 gf4;cb4 ba5 dc3 fe5 gh4 cb6;cb4 ba5 dc3 hg5;cb4 ba5 ef4;cb4 ba5 gh4 ac3 bd4 de5;cb4 bc5 bc3 fe5 ed4;cb4 bc5 bc3 fg5 ed4;cb4 bc5 dc3 ab6
cb4 bc5 dc3 fe5;cb4 bc5 dc3 fe5 ef4 ef6;cb4 bc5 dc3 fe5 gh4 ab6;cb4 bc5 dc3 fe5 gh4 gf6;cb4 bc5 ed4 ce3 fd4 cb6;cb4 bc5 ed4 ce3 fd4 de5;cb4 dc5 bd6 ec5 gf4 ba5;cb4 dc5 bd6 ce5 gh4 ba5;cb4 de5 dc3 fg5;cb4 de5 gh4 cd6;cb4 fe5 bc3 gf6 cb2 fg5;cb4 fe5 bc3 gf6 ed4;cb4 fe5 dc3 gf6;cb4 fg5 ed4 ef6;cb4 fg5 ed4 gf4;cb4 hg5 ba5 gh4 ed4
cb4 hg5 gf4 gh4 fg5 ba5;cd4 ba5 bc3 ab6 ef4;cd4 ba5 bc3 ab6 gf4;cd4 ba5 bc3 de5;cd4 ba5 bc3 fe5;cd4 ba5 bc3 hg5 ab2;cd4 ba5 dc3 de5 gf4;cd4 ba5 dc3 de5 gh4;cd4 ba5 dc3 fg5 gh4 ab6;cd4 ba5 ef4 dc5;cd4 ba5 ef4 cb6 de3 dc5;cd4 ba5 ef4 cb6 fe3 ab4;cd4 ba5 ef4 fg5 fe3 ab4;cd4 ba5 gf4 de5;cd4 ba5 gf4 fe5 df6 eg5;cd4 bc5 db6 ac5 bc3 de5
cd4 bc5 db6 ca5;cd4 bc5 db6 ca5 ed4;cd4 dc5 dc3 fe5;cd4 dc5 gh4 fe5;cd4 de5 bc3 ef4 eg5 fh4;cd4 de5 gh4 ec3 bd4 fe5;cd4 fe5 df6 ge5 gh4;cd4 fg5 bc3 ef6 ab2;cd4 fg5 bc3 gf6 ab2 de5;cd4 fg5 dc3 ef6 ed2 bc5;cd4 fg5 gh4 dc5 hf6 eg5;cd4 fg5 gh4 ef6;cd4 hg5 bc3 gh4;cd4 hg5 bc3 gh4 cb4 de5;cd4 hg5 gf4 gh4 fg5 dc5;cd4 hg5 gf4 gh4 fg5 de5
cd4 hg5 gf4 gh4 fg5 fe5;ed4 ba5 fe3 ab6;ed4 ba5 fe3 de5 gh4 ab6;ed4 ba5 fe3 de5 gh4 cb6;ed4 ba5 fe3 fe5;ed4 ba5 fe3 fg5 gf2 gh4;ed4 ba5 fe3 hg5 gf2;ed4 ba5 gf4 fg5;ed4 bc5 db6 ca5;ed4 bc5 db6 ca5 ab4 ab6;ed4 bc5 db6 ca5 ab4 hg5;ed4 dc5 cb4 ce3 fd4 fg5;ed4 dc5 cb4 ce3 df4 cd6;ed4 dc5 gh4 ce3 fd4 ba5;ed4 de5 ab4 cd6;ed4 de5 ab4 ed6
ed4 de5 gf4 eg3 fh4 hg5;ed4 fe5 df6 ge5 ab4 hg5;ed4 fe5 df6 eg5 fe3;ed4 fg5 fe3 bc5;ed4 fg5 fe3 ef6;ed4 fg5 fe3 ef6 gf2 bc5;ed4 fg5 gh4 ba5;ed4 fg5 gh4 ef6;ed4 fg5 gh4 gf6;ed4 hg5 cb4 gf4;ed4 hg5 cb4 gh4;ed4 hg5 fe3 gf4;ef4 ba5 de3 ab6 cd4 dc5;ef4 ba5 de3 cb6 cd2 fe5;ef4 ba5 fe3 ab6 gf2 fg5;ef4 ba5 fe3 fe5 cd4
ef4 bc5 de3 ab6 cd4 fg5;ef4 bc5 fe3 cb6 cd4 fe5;ef4 dc5 cb4 ed6;ef4 dc5 cb4 ed6 gh4 de5;ef4 dc5 de3;ef4 dc5 fe3;ef4 dc5 gh4 ed6 hg3 fe5;ef4 de5;ef4 de5 fd6 ec5 de3;ef4 de5 fd6 ce5 de3 fg5;ef4 fe5 cd4 ec3 bd4;ef4 fe5 de3;ef4 fe5 de3 ba5 ab4 cb6;ef4 fg5 cb4 ge3 fd4;ef4 fg5 fe3 gh4 gf2 ba5;ef4 fg5 fe3 gh4 gf2 de5
gf4 ba5 hg3 ab6 gh4 de5;gf4 dc5 cb4 ba5;gf4 dc5 cd4 ed6;gf4 dc5 hg3 ed6 gh4 fe5;gf4 de5;gf4 de5 fd6 ce5 fg3 bc7;gf4 de5 fd6 ce5 ab4;gf4 de5 fd6 ec5 hg3;gf4 fe5 ab4 eg3 fh4 gf6;gf4 fe5 ed4;gf4 fe5 fg3 ef6 ab4;gh4 ba5 fg3 ab6 gf2 fg5;gh4 ba5 fg3 de5 ed4;gh4 ba5 fg3 fe5 ed4;gh4 ba5 fg3 hg5 gf2;gh4 ba5 hg3 fe5 ed4
gh4 bc5 cd4 fe5;gh4 bc5 ed4 ce3 df4 cb6;gh4 bc5 ed4 ce3 fd4 de5;gh4 dc5 fg3 fe5 ed4;gh4 dc5 hg3 fe5;gh4 de5 ab4 cd6;gh4 de5 hg3 bc5;gh4 de5 hg3 cd6;gh4 fe5 cd4 ec3 bd4 ba5;gh4 fe5 ed4 dc5;gh4 fe5 ef4 eg3 hf4 ba5;gh4 fe5 fg3 gf6;gh4 fg5 hf6 ge5 ab4 fg7;gh4 fg5 hf6 ge5 ed4 fg7;gh4 fg5 hf6 eg5 ed4;gh4 hg5 ef4 ge3 df4 ba5
gh4 hg5 ef4 ge3 df4 bc5;gh4 hg5 hg3 gh6;cb4 dc5`
