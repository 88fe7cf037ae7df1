package browser

import (
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// TestModulesOfThePages calls functions of the pages with data of the tests.
func TestModulesOfThePages(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := shared(t)
	window := open(t, 1000, 800)
	for _, tt := range []struct {
		name string
		test func(t *testing.T, b *browser)
	}{
		{"each request for files has its answer", eachRequestForFilesHasItsAnswer},
		{"results name bots and shared first places", resultsNameBotsAndSharedFirstPlaces},
		{"a page of a player's matches is asked for until it is full", pageOfAPlayersMatchesIsAskedForUntilItIsFull},
		{"two players are compared", twoPlayersAreCompared},
		{"a seat gets and sends each line once", seatGetsAndSendsEachLineOnce},
		{"the last seconds of a bank have tenths", lastSecondsOfABankHaveTenths},
		{"matches of contests name teams as one side", matchesOfContestsNameTeamsAsOneSide},
		{"verdicts are sentences for people", verdictsAreSentencesForPeople},
		{"each of six players has another mark", eachOfSixPlayersHasAnotherMark},
		{"a match of three is not analysed", matchOfThreeIsNotAnalysed},
		{"sounds are few and can be switched off", soundsAreFewAndCanBeSwitchedOff},
		{"the outline of a board has the place of the last time", outlineHasThePlaceOfTheLastTime},
		{"entries and matches of contests have names for people", entriesAndMatchesHaveNamesForPeople},
		{"a long list of moves has the visible ones", longListOfMovesHasTheVisibleOnes},
		{"moves have the times of their answers", movesHaveTheTimesOfTheirAnswers},
		{"brackets have a place for each pairing", bracketsHaveAPlaceForEachPairing},
		{"a podium has shared places and tie-breaks", podiumHasSharedPlacesAndTieBreaks},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := *window
			b.t = t
			b.visit(h.url + "/api") // a test can replace functions of the page before
			tt.test(t, &b)
		})
	}
}

func eachOfSixPlayersHasAnotherMark(t *testing.T, b *browser) {
	var marks int
	b.call("POST", "/execute/async", map[string]any{
		"script": `import('/assets/dom.js').then((dom) => arguments[0](new Set([0, 1, 2, 3, 4, 5].map((seat) => dom.mark(seat).innerHTML)).size))`, "args": []any{},
	}, &marks)
	if marks != 6 {
		t.Errorf("got %d different marks, want 6", marks)
	}
}

func pageOfAPlayersMatchesIsAskedForUntilItIsFull(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0], asked = [];
		window.fetch = async (path) => {
			const query = new URLSearchParams(path.split("?")[1]);
			asked.push(["player", "opponent", "result", "after", "limit"].map((name) => query.get(name)).join(" "));
			const seats = [{ name: "ann", rank: 2, score: 0, ended: "forfeit: timeout" }, { name: "bob", rank: 1, score: 1, ended: "finished" }];
			return new Response(JSON.stringify({ matches: asked.length % 2 ? [] : [{ id: "m" + asked.length, game: "g", state: "finished", params: {}, reason: "", seats, ended: new Date().toISOString() }], next: "n" + asked.length }));
		};
		const box = document.createElement("div");
		import("/assets/results.js").then(({ results }) => results(box, { player: "ann", opponent: "bob" }, new Map([["g", "Game"]]))).then((list) => {
			list.filter("lost");
			setTimeout(() => done([...asked.slice(0, 6), ...[...box.querySelectorAll("li")].map((e) => e.querySelector(".outcome").textContent), String([...box.querySelectorAll("button")].at(-1).hidden)]), 0);
		}, (error) => done([String(error)]));`}, &got)
	want := []string{"ann bob   10", "ann bob  n1 10", "ann bob  n2 9", "ann bob  n3 9", "ann bob  n4 8", "ann bob lost  10", "ann ran out of time · ", "ann ran out of time · ", "false"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func twoPlayersAreCompared(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		const met = (name, wins, draws, losses) => [{ name, wins, draws, losses, played: wins + draws + losses }];
		const of = (game, rating, opponents) => ({ game, rating, low: rating - 10, high: rating + 10, history: [], opponents });
		const box = document.createElement("div");
		import("/assets/versus.js").then(({ versus }) => {
			versus(box, { name: "Ann", games: [of("chess", 1500, met("bob", 3, 1, 2)), of("dama", 1400, [])] }, { name: "bob", games: [of("dama", 1600, met("ann", 5, 0, 4)), of("tron", 1200, [])] }, new Map([["chess", "Chess"]]));
			done([...box.querySelectorAll("tbody tr")].map((e) => [...e.children].map((c) => c.textContent).join(" ")).join("|"));
		}, (error) => done(String(error)));`}, &got)
	if want := "Chess 1500 1490 to 1510 – 3 1 2|dama 1400 1390 to 1410 1600 1590 to 1610 4 0 5|tron – 1200 1190 to 1210 – – –"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func entriesAndMatchesHaveNamesForPeople(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{
		"script": `import('/assets/names.js').then(({ entryName, matchName }) => {
			const titles = new Map([["lad", "The ladder"]]);
			arguments[0]([...["bot:beginner", "bot:default", "bot:toString", "ann"].map(entryName),
				...[{ name: "lad", contest: "lad" }, { name: "lad 3", contest: "lad" }, { name: "ladies", contest: "lad" }, { name: "lad" }].map((m) => matchName(m, titles))].join());
		})`, "args": []any{},
	}, &got)
	if want := "Beginner bot,Bot,bot:toString,ann,The ladder,The ladder 3,ladies,lad"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func matchOfThreeIsNotAnalysed(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{
		"script": `import('/assets/analysis.js').then(({ Analysis }) => {
			const box = document.createElement("div");
			new Analysis(box, {}, { mark() {} }).offer({ version: "v", seats: [{}, {}, {}], answers: [{}] }, { judged: true, version: "v" });
			arguments[0](box.textContent);
		})`, "args": []any{},
	}, &got)
	if want := "Only matches between two players can be analysed."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func matchesOfContestsNameTeamsAsOneSide(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		const match = (points, ranks, teams) => ({ seats: ["a", "b", "c", "d"], state: "finished", points, ranks, teams, outcomes: ranks.map(() => "finished") });
		const all = [
			match([1, 0, 1, 0], [1, 3, 1, 3], [1, 2, 1, 2]),
			match([0.5, 1, 1, 0], [3, 1, 1, 4], [0, 1, 1, 0]),
			match([1, 0.5, 0.5, 0], [1, 2, 2, 4]),
			{ seats: ["a", "b"], state: "planned" },
		];
		import("/assets/fixtures.js").then(({ says, letter }) => done(all.map((m) => says(m) + " | " + m.seats.map((name) => letter(m, name)).join(" "))), (error) => done([String(error)]));`}, &got)
	want := []string{
		"a + c – b + d: 1 – 0 | W L W L", "a – b + c – d: 0.5 – 1 – 0 | 2 1 1 3", "a – b – c – d: 1 – 0.5 – 0.5 – 0 | 1 2 2 4", "a – b: not played yet | · ·",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func outlineHasThePlaceOfTheLastTime(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		import("/assets/outline.js").then(({ expected, keep }) => {
			const all = [], note = (...of) => { const { x, y, width, height, all: high } = expected(...of); all.push([x, y, width, height, high].join(" ")); };
			localStorage.setItem("boards", '[["go player", 1, 1, null], 7]');
			note("go player", 800, 400);
			keep("go player", 800, 400, { x: 10, y: 5, width: 600, height: 300, all: 325 });
			keep("go player", 800, 400, { x: "10", y: 5, width: {}, height: -3, all: 325 });
			note("go player", 800, 401);
			note("go player", 300, 400);
			note("chess player", 800, 100);
			for (let i = 0; i < 100; i++) keep("game " + i, 800, 400, { x: 0, y: 0, width: 400, height: 400, all: 400 });
			all.push(String(JSON.parse(localStorage.getItem("boards")).length));
			localStorage.removeItem("boards");
			done(all);
		}).catch((error) => done([String(error)]));`}, &got)
	want := []string{"200 0 400 400 400", "10 5 600 300 325", "0 0 300 150 170", "300 0 200 100 120", "40"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of five entries three have byes, so in a double elimination one place of the losers stays
// empty.
func bracketsHaveAPlaceForEachPairing(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{
		"script": `import('/assets/bracket.js').then(({ columnsOf }) => {
			const m = (bracket, round, slot, ...seats) => ({ bracket, round, slot, seats, pairing: 0 });
			const matches = [m("", 1, 1, "a"), m("", 1, 2, "d", "e"), m("", 1, 3, "b"), m("", 1, 4, "c"), m("", 2, 1, "a", "d"), m("", 2, 2, "b", "c"), m("losers", 2, 1, "e")];
			const show = (view) => columnsOf(view, matches).map(({ name, columns, third }) => name + ": " + columns.map((c) => c.round + c.slots.map((legs) => (legs ? legs[0].seats.join("") : c.paired ? "-" : "?")).join(",") + (c.straight ? "=" : "")).join(" ") + (third ? " third" : "")).join("; ");
			arguments[0]([show({ format: "double-elimination" }), columnsOf({ format: "knockout" }, [...matches.slice(0, 6), m("", 3, 1, "a", "b"), m("", 3, 2, "d", "c")])[0].third[0].seats.join("")].join("; "));
		})`, "args": []any{},
	}, &got)
	if want := ": 1a,de,b,c 2ad,bc 3?; losers: 2e,-= 3?,? 4?= 5?; final: 6?=; dc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func podiumHasSharedPlacesAndTieBreaks(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{
		"script": `import('/assets/podium.js').then(({ hasPodium, drawPodium }) => {
			const row = (rank, name, points, ...tie_breaks) => ({ rank, name, points, tie_breaks });
			const view = { state: "ended", format: "swiss", entries: [], tie_breaks: ["wins", "buchholz"], standings: [row(1, "a", 3, 2, 9), row(1, "b", 3, 2, 9), row(3, "c", 2, 1, 7), row(4, "d", 2, 1, 6.5)] };
			const box = document.createElement("div");
			drawPodium(box, view);
			arguments[0]([hasPodium(view), hasPodium({ ...view, state: "running" }), ...[...box.querySelectorAll(".step")].map((e) => [e.value, ...[...e.querySelectorAll(".name")].map((n) => n.textContent), e.querySelector("p").textContent].join(" "))].join("; "));
		})`, "args": []any{},
	}, &got)
	if want := "true; false; 1 a b 3 points · shared; 3 c 2 points · by Buchholz: 7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
