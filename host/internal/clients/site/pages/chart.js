// A chart of ratings over time, with their intervals.
import { h, svg } from "./dom.js";
import { rounded } from "./standings.js";
import { language } from "./i18n.js";

const height = 240;
const left = 52; // for the numbers
const bottom = 26; // for the dates

// chart returns a picture of one or two lists of points with at, rating, low and high.
export function chart(lists, title) {
	const box = h("div", { class: "chart" });
	let width = 0;
	new ResizeObserver(() => {
		const now = Math.round(box.clientWidth);
		if (now === width || now === 0) return;
		width = now;
		box.replaceChildren(draw(lists.filter((l) => l.length > 0), title, width));
	}).observe(box);
	return box;
}

function draw(lists, title, width) {
	lists = clipped(lists);
	const all = lists.flat();
	const times = all.map((p) => Date.parse(p.at));
	const from = Math.min(...times);
	const to = Math.max(...times, from + 1);
	const marks = ticks(Math.min(...all.map((p) => p.low)), Math.max(...all.map((p) => p.high)));
	const [low, high] = [marks[0], marks.at(-1)];
	const x = (at) => Math.round(10 * (left + (width - left - 8) * (at - from) / (to - from))) / 10;
	const y = (v) => Math.round(10 * (8 + (height - bottom - 8) * (high - v) / (high - low))) / 10;
	const line = (points, key) => points.map((p) => `${x(Date.parse(p.at))},${y(p[key])}`);
	const days = to - from > 2 * 86400000;
	const dates = (width < 500 ? [0, 1] : [0, 0.5, 1]).map((part) => from + part * (to - from));
	const date = (at) => (days ? new Date(at).toLocaleDateString(language) : new Date(at).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" }));
	return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
		...marks.flatMap((v) => [svg("line", { class: "grid", x1: left, x2: width - 8, y1: y(v), y2: y(v) }), svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, rounded(v))]),
		...dates.map((at, i) => svg("text", { x: x(at), y: height - 6, "text-anchor": i === 0 ? "start" : i === dates.length - 1 ? "end" : "middle" }, date(at))),
		...lists.map((points, i) => svg("g", { class: i > 0 ? "other" : "" },
			svg("polygon", { class: "band", points: [...line(points, "high"), ...line(points, "low").reverse()].join(" ") }),
			svg("polyline", { class: "line", points: line(points, "rating").join(" ") }),
			svg("circle", { class: "last", cx: x(Date.parse(points.at(-1).at)), cy: y(points.at(-1).rating), r: 4 }))));
}

// clipped cuts off intervals that are far wider than the others, such as those of the first
// matches, beside which nothing else could be seen.
function clipped(lists) {
	const halves = lists.flat().map((p) => (p.high - p.low) / 2).sort((a, b) => a - b);
	const most = 2 * halves[Math.floor(halves.length / 2)] || Infinity;
	return lists.map((points) => points.map((p) => ({ ...p, low: Math.max(p.low, p.rating - most), high: Math.min(p.high, p.rating + most) })));
}

// ticks returns round numbers that enclose a range.
function ticks(low, high) {
	const step = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((s) => (high - low) / s <= 5) || 50000;
	const list = [];
	for (let v = Math.floor(low / step) * step; v < high + step; v += step) list.push(v);
	return list;
}
