// The page of one contest.
import { h, $, fill, timing, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";
import { games, formats, progress } from "./contests.js";
import { Standings } from "./standings.js";
import { Fixtures } from "./fixtures.js";
import { crosses, drawCross } from "./cross.js";
import { brackets } from "./bracket.js";
import { Brackets } from "./bracketview.js";
import { hasPodium, drawPodium } from "./podium.js";
import { Mine, remember, remembered } from "./mine.js";
import { drawTimetable } from "./timetable.js";
import { Rounds } from "./rounds.js";
import { drawDivisions, drawDates, drawCup } from "./divisions.js";
import { Runs } from "./runs.js";
import { Dates } from "./dates.js";
import { mark, passTable, myTry, Tries } from "./passes.js";
import { Boards } from "./boards.js";
import { drawDecisions } from "./decisions.js";
import * as person from "./person.js";
import { chosen } from "./names.js";
import { TeamEntry, TeamRows, describe, own as team } from "./teams.js";
import { t, language } from "./i18n.js";
import { prefixed, pathPart } from "./path.js";

const name = pathPart(2);
const path = `/api/contests/${encodeURIComponent(name)}`;
const standings = new Standings($("standings"), new TeamRows(() => standings.draw(view, shown())));
const teamEntry = new TeamEntry($("entry"), path, () => {
	now();
	entry();
});
const rounds = new Rounds($("rounds"), () => draw().catch(failed));
const runs = new Runs($("runs"), name, () => draw().catch(failed));
const dates = new Dates($("turn"), name, () => now());
const bracket = new Brackets($("bracket"));
const mine = new Mine($("mine"), name, () => draw().catch(failed));
const tries = new Tries($("tries"), name, () => draw().catch(failed));
const boards = new Boards($("boards"), () => (more ? 220 : innerWidth < 700 ? 300 : 340));

let view = null; // from the API
let me = ""; // the player that is logged in
let titles = new Map(); // of games
let fixtures = null;
let more = location.hash === "#boards"; // show all boards

function failed(error) {
	$("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : "";
}

async function take(latest) {
	view = latest;
	await draw();
}

async function draw() {
	document.title = `${view.title} – Colosseum`;
	$("title").textContent = view.title;
	fill($("about"), view.game && [h("a", { href: `/games/${encodeURIComponent(view.game)}`, "data-key": "game" }, titles.get(view.game) || view.game), " · "], formats[view.format] || view.format,
		view.pass ? ` · ${mark(view.pass)}` : view.legs > 1 && ` · ${t("{n} match a pairing|{n} matches a pairing", { n: view.legs })}`, view.players > 2 && ` · ${t("{n} player a match|{n} players a match", { n: view.players })}`,
		describe(view), view.timeout > 0 && ` · ${timing({ timeout: view.timeout })}`, view.clock && ` · ${t("clock {clock}", view)}`, chosen(view.args),
		view.format === "ladder" && [" · ", h("a", { href: `/ladder/${encodeURIComponent(view.game)}`, "data-key": "ladder" }, t("all ratings of the game"))]);
	$("progress").textContent = [progress(view), view.reason, view.start && view.state === "open" && new Date(view.start).toLocaleString(language)].filter(Boolean).join(" · ");
	$("table").textContent = view.standings.length > 0 ? t("Standings") : t("Entries");
	entry();
	if (view.cup) drawCup($("standings"), view, me);
	else if (view.pass) passTable($("standings"), view, shown());
	else if (view.season && view.started) drawDivisions($("standings"), view, shown());
	else standings.draw(view, shown());
	$("season-box").hidden = !view.season;
	if (view.season) drawDates($("season"), view);
	drawWarnings();
	$("decisions-box").hidden = view.rulings.length === 0;
	drawDecisions($("decisions"), view.rulings);
	$("calendar-box").hidden = !view.calendar;
	drawTimetable($("dates-box"), $("dates"), view);
	$("podium-box").hidden = !hasPodium(view);
	if (hasPodium(view)) drawPodium($("podium"), view);
	await dates.update(view, me);
	if (me && nameOf(me)) remember(me);
	const player = me || remembered();
	await mine.update(view, player, nameOf(player), me !== "");
	await drawMatches();
}

// own returns the entry of the player that is logged in. An organizer can have given it another
// name.
const entryOf = (player) => player && view.entries.find((e) => (e.player || e.name).toLowerCase() === player.toLowerCase());
const own = () => entryOf(me);
const nameOf = (player) => (view.teams ? team(view, player) : entryOf(player)?.name || "");
const shown = () => nameOf(me || remembered()) || me;
const organizes = () => me && view.organizers.some((o) => o.toLowerCase() === me.toLowerCase());

// warnings are what the author of a program should know.
const warnings = {
	"nearly late": (name) => t("{name} often uses most of its time. On another machine it might be too late.", { name }),
	"out of turn": (name) => t("{name} computes while it should wait. That time was added to its answers.", { name }),
};

function drawWarnings() {
	const all = view.entries.flatMap((e) => (e.warnings || []).map((w) => warnings[w]?.(e.name) || `${e.name}: ${w}`));
	$("warnings-box").hidden = all.length === 0;
	fill($("warnings"), all.map((text) => h("li", null, text)));
}

// drawMatches shows the matches. It loads all of them only if something shows all.
async function drawMatches() {
	$("matches").hidden = view.round === 0;
	$("tries-box").hidden = !view.pass || view.all === 0;
	if (view.pass) await tries.update(view, me);
	if (view.round > 0) {
		const all = crosses(view) || brackets(view);
		const round = all ? 0 : rounds.of(view);
		if (fixtures?.round !== round) fixtures = new Fixtures(name, round);
		const wanted = fixtures;
		const matches = await wanted.update(view);
		if (fixtures !== wanted) return; // the person has chosen another round since
		$("cross-box").hidden = !crosses(view);
		if (crosses(view)) drawCross($("cross"), view, matches);
		$("bracket-box").hidden = !brackets(view);
		if (brackets(view)) bracket.draw(view, matches, shown());
		rounds.draw(view, matches, shown());
		$("runs-box").hidden = view.format !== "score";
		if (view.format === "score") await runs.update(view, shown());
	}
	drawLive();
}

function drawLive() {
	const running = view.running.filter((m) => m.id);
	const usual = innerWidth < 700 ? 1 : 2;
	const shown = boards.set(running, more ? 16 : usual);
	$("live-box").hidden = shown.length === 0;
	$("boards").classList.toggle("many", more && shown.length > 2);
	const others = running.filter((m) => !shown.includes(m.id));
	const key = [...others.map((m) => m.id), more, running.length > usual].join();
	if ($("others").dataset.key === key) return; // a link that is being clicked stays
	$("others").dataset.key = key;
	fill($("others"), others.length > 0 && [h("span", null, t("{n} more running:|{n} more running:", { n: others.length }), " "), others.slice(0, 30).map((m, i) => [i > 0 && ", ", h("a", { href: `/match/${encodeURIComponent(m.id)}`, "data-key": `other ${m.id}` }, (m.players || m.seats).join(" – "), m.division && ` (${m.division})`)]), others.length > 30 && " …"],
		running.length > usual && [" ", h("button", { type: "button", class: "quiet", "data-key": "more", "aria-pressed": String(more), onclick: () => {
			more = !more;
			history.replaceState(null, "", more ? "#boards" : location.pathname);
			drawLive();
		} }, t("All boards of the round"))]);
}

// entry shows whether the player takes part, and how to enter.
let answer = ""; // of the host to the last change
function entry() {
	if (view.teams) {
		teamEntry.draw(view, me);
		return;
	}
	const mine = own();
	const inside = mine && !mine.withdrawn;
	const change = (method, what = "entry") => async () => {
		try {
			await api(`${path}/${what}`, method);
			answer = "";
		} catch (error) {
			answer = error.message;
		}
		now();
		entry();
	};
	$("entry").hidden = !organizes() && (view.state === "ended" || view.local || !view.open && !inside);
	fill($("entry"),
		!me && h("p", null, t("Log in at the top of this page to enter with your player.")),
		organizes() && h("p", null, h("a", { href: `/contests/${encodeURIComponent(view.name)}/organize`, "data-key": "organize" }, t("Organize this contest"))),
		me && !organizes() && (inside ? h("p", null, t("{name} takes part.", mine), " ", h("button", { type: "button", "data-key": "withdraw", onclick: () => {
			if (view.state === "open" || confirm(t("Withdraw? You are not paired again, and lose the matches that are planned."))) change("DELETE")();
		} }, t("Withdraw"))) : view.open && h("p", null, h("button", { type: "button", class: "main", "data-key": "enter", onclick: change("POST") }, t("Enter as {name}", { name: me })), view.state !== "open" && !view.pass && h("span", { class: "hint" }, " ", view.season ? t("It has begun: you begin in the lowest division.") : t("It has begun: you play from the next round on.")))),
		me && inside && view.pass && myTry(view, shown(), change("POST", "try")),
		me && inside && view.state === "open" && h("p", { class: "hint" }, t("Your program plays with"), " ", copyable(cocoCommand("serve", view.game, "--contest", view.name, "--", "PROGRAM"))),
		h("p", { class: "fault", role: "alert" }, answer));
}

for (const [id, file] of [["csv", "standings.csv"], ["matches-csv", "matches.csv"], ["ndjson", "matches.ndjson"]]) $(id).setAttribute("href", prefixed(`${path}/${file}`));
$("calendar").setAttribute("href", prefixed(`/contests/${encodeURIComponent(name)}/calendar.ics`));
$("projector").setAttribute("href", prefixed(`/contests/${encodeURIComponent(name)}/projector`));
$("all-boards").setAttribute("href", prefixed(`/contests/${encodeURIComponent(name)}/projector#boards`));
person.account();
let now = () => {};
// What the player sees of its own comes with the rest, and moves nothing later.
Promise.all([games(), person.known]).then(([list]) => {
	titles = list;
	now = poll(path, take, failed);
	person.onAccount((player) => {
		me = player;
		if (view) draw().catch(failed);
	});
	setInterval(() => view && !document.hidden && drawLive(), 1500); // a match that has ended makes room
});
