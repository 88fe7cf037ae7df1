// Sounds of a match. The browser makes them from tones and noise, quiet ones. They are on
// until the person switches them off, in all matches.
import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

const gap = 0.08; // seconds between two sounds, at least
const latest = 0.2; // seconds that a sound can wait for the one before it
const busy = 4; // moves in a second, at most: faster ones are silent

// A sound is a list of [what, seconds from its beginning, Hz, volume, seconds].
const kinds = {
	move: [["knock", 0, 240, 0.14]],
	capture: [["knock", 0, 330, 0.14], ["knock", 0.055, 180, 0.16]],
	check: [["knock", 0, 240, 0.14], ["tone", 0.05, 740, 0.05, 0.25]],
	promote: [["knock", 0, 240, 0.14], ["tone", 0.05, 523, 0.04, 0.2], ["tone", 0.15, 784, 0.04, 0.3]],
	roll: [["knock", 0, 420, 0.08], ["knock", 0.07, 360, 0.09], ["knock", 0.15, 440, 0.08], ["knock", 0.25, 330, 0.1]],
	turn: [["tone", 0, 660, 0.06, 0.2], ["tone", 0.12, 880, 0.06, 0.3]],
	end: [["tone", 0, 523, 0.05, 0.3], ["tone", 0.14, 659, 0.05, 0.3], ["tone", 0.28, 784, 0.05, 0.6]],
	low: [["tone", 0, 990, 0.05, 0.09], ["tone", 0.14, 990, 0.05, 0.09]],
};

let on = stored();
let gesture = false; // the person has done something in the page: before, browsers allow no sound
let audio = null;
let noise = null;
let next = 0; // time of the audio from which the next sound can begin
let moves = []; // times of the last moves
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (gesture = true), { once: true, capture: true });

function stored() {
	try {
		return localStorage.getItem("sound") !== "off";
	} catch {
		return true; // the browser can forbid it
	}
}

// play plays a sound: "move", "capture", "check", "promote", "roll", "turn", "end" or "low".
// In a page that nobody sees it plays only "turn".
export function play(kind) {
	if (!on || !kinds[kind] || document.hidden && kind !== "turn" || !(navigator.userActivation?.hasBeenActive ?? gesture)) return;
	try {
		audio ??= new AudioContext();
		if (audio.state === "suspended") audio.resume().catch(() => {});
		const begin = Math.max(audio.currentTime, next);
		if (begin - audio.currentTime > latest) return;
		next = begin + gap;
		for (const [what, after, ...rest] of kinds[kind]) ({ tone, knock })[what](begin + after, ...rest);
	} catch {
		// without sound, the rest goes on
	}
}

// moved plays the sound of a move, unless moves come faster than people can follow. stepped
// says that a replay shows it.
export function moved(kind, stepped = false) {
	const now = performance.now(), before = moves.at(-1) ?? -Infinity;
	moves = [...moves.filter((time) => now - time < 1000), now];
	if (moves.length <= busy && !(stepped && now - before < 1000 / busy)) play(kind);
}

// fading connects a source to the speakers, with a volume that falls to nothing.
function fading(source, at, volume, seconds) {
	const gain = new GainNode(audio, { gain: 0 });
	gain.gain.setValueAtTime(0, at);
	gain.gain.linearRampToValueAtTime(volume, at + 0.004);
	gain.gain.exponentialRampToValueAtTime(0.0005, at + seconds);
	source.connect(gain).connect(audio.destination);
}

function tone(at, frequency, volume, seconds) {
	const source = new OscillatorNode(audio, { frequency });
	fading(source, at, volume, seconds);
	source.start(at);
	source.stop(at + seconds);
}

// knock is the sound of wood on wood: a low tone, and noise at its beginning.
function knock(at, frequency, volume) {
	tone(at, frequency, volume, 0.09);
	noise ??= rustle();
	const source = new AudioBufferSourceNode(audio, { buffer: noise });
	const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: 6 * frequency, Q: 1.5 });
	source.connect(filter);
	fading(filter, at, 2 * volume, 0.04);
	source.start(at);
}

function rustle() {
	const buffer = new AudioBuffer({ length: audio.sampleRate / 20, sampleRate: audio.sampleRate });
	buffer.copyToChannel(Float32Array.from({ length: buffer.length }, () => 2 * Math.random() - 1), 0);
	return buffer;
}

// button returns the button that switches all sounds on and off.
export function button() {
	const waves = svg("path", { d: "M15 9 a4 4 0 0 1 0 6 M17.5 6.5 a7.5 7.5 0 0 1 0 11", fill: "none" });
	const cross = svg("path", { d: "M15.5 9 l6 6 m0 -6 l-6 6", fill: "none" });
	const e = h("button", { type: "button", class: "sound", "data-key": "sound", "aria-label": t("Sounds"), onclick: () => {
		on = !on;
		try {
			localStorage.setItem("sound", on ? "on" : "off");
		} catch {
			// as above
		}
		draw();
		play("move");
	} }, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M3 9 h4 l5 -4.5 v15 L7 15 H3 Z" }), waves, cross));
	const draw = () => {
		e.setAttribute("aria-pressed", String(on));
		e.title = on ? t("Sounds are on") : t("Sounds are off");
		waves.style.display = on ? "" : "none";
		cross.style.display = on ? "none" : "";
	};
	draw();
	addEventListener("storage", (event) => {
		if (event.key !== "sound") return;
		on = stored();
		draw();
	});
	return e;
}
