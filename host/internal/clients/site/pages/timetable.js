// The timetable of a contest: what happens when, in the time zone of the reader.
import { h, fill, duration } from "./dom.js";
import { t, language } from "./i18n.js";

const dates = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
const times = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const at = (text) => dates.format(new Date(text));

// period shows the end of a period without its day if it is that of the begin.
const period = (from, until) => (new Date(from).toDateString() === new Date(until).toDateString() ? t("{from} to {to}", { from: at(from), to: times.format(new Date(until)) }) : t("{from} to {to}", { from: at(from), to: at(until) }));

// events returns what happens in a contest, in the order of time.
function events(view) {
	const { season } = view;
	return [
		view.state === "open" && view.start && { what: t("It begins"), from: view.start },
		...(view.windows || []).map((w) => ({ what: t("Round {round}", w), from: w.opens, until: w.closes, mine: view.window?.round === w.round, note: w.shifted && (w.reason ? t("shifted: {reason}", w) : t("shifted")) })),
		season?.next && { what: t("Promotion and relegation"), from: season.next },
		season?.end && view.state !== "ended" && { what: t("The end of the season"), from: season.end },
		!season && view.ends && { what: t("It ends"), from: view.ends },
	].filter(Boolean).sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
}

const seconds = (text) => (Date.parse(text) - Date.now()) / 1000;
const isPast = (e) => seconds(e.until || e.from) <= 0;

// when says how far an event is from now.
function when(e) {
	if (isPast(e)) return "";
	return seconds(e.from) > 0 ? t("in {time}", { time: duration(seconds(e.from)) }) : t("open for {time} more", { time: duration(seconds(e.until)) });
}

const row = (e) => h("li", { class: e.mine ? "mine" : null, "aria-current": e.mine && "step" },
	h("b", null, e.what), h("time", { datetime: e.from }, e.until ? period(e.from, e.until) : at(e.from)), h("span", { class: "hint" }, [when(e), e.note].filter(Boolean).join(" · ")));

// drawTimetable shows what comes next first, and what is past when the person asks for it.
export function drawTimetable(box, element, view) {
	const all = events(view);
	box.hidden = all.length === 0;
	const past = all.filter(isPast);
	const coming = all.filter((e) => !isPast(e));
	const open = element.querySelector("details")?.open ?? coming.length === 0;
	fill(element,
		h("ol", { class: "timetable" }, coming.map(row), view.windows && view.state === "running" && !view.window && h("li", { class: "hint" }, t("The next round has no dates yet."))),
		past.length > 0 && h("details", { open }, h("summary", { "data-key": "past" }, t("{n} past date|{n} past dates", { n: past.length })), h("ol", { class: "timetable" }, past.toReversed().map(row))),
		h("p", { class: "hint" }, t("The times are those of your time zone, {zone}.", { zone })));
}
