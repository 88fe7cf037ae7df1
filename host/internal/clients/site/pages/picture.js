// Pictures and animations of a match, for sharing. They are drawn by a second board, so that
// the one in the page stays as it is.
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { Board } from "./board.js";
import { prefixed } from "./path.js";

const band = 36; // height of the caption, in pixels
const mostFrames = 300;
const pause = 500; // milliseconds for a frame
const rest = 3000; // milliseconds for the last one

// hiddenBoard opens a second board of the match of a board. It returns a function
// capture(at, width, height), which returns the pixels of a moment, and a function close.
function hiddenBoard(board) {
	const place = h("div", { class: "hidden-board", "aria-hidden": "true", inert: true });
	document.body.append(place);
	let fail;
	const failed = new Promise((_, reject) => (fail = reject));
	failed.catch(() => {}); // when nobody waits for it
	const copy = new Board(place, { moves() {}, status() {}, send() {}, failed: (reason) => fail(new Error(reason.split("\n")[0])) }, () => 2000);
	copy.open(board.match, board.code);
	if (!copy.frame) fail(new Error(t("This game has no board.")));
	copy.append([...board.lines]);
	const ready = new Promise((resolve) => (copy.on.status = resolve));
	copy.show({ ...board.view, show: 0, playing: false, ended: false, fresh: false });
	return {
		async capture(at, width, height) {
			await Promise.race([ready, failed]);
			copy.show({ ...board.view, show: at, playing: false, ended: board.view.ended && at === board.lines.length, fresh: false });
			return Promise.race([copy.capture(width, height), failed]);
		},
		close() {
			copy.close();
			place.remove();
		},
	};
}

// captioned returns a canvas for pixels of a size with a caption below them, and a function
// that draws both on it.
function captioned(width, height) {
	const canvas = h("canvas", { width, height: height + band });
	const context = canvas.getContext("2d", { willReadFrequently: true });
	const colours = getComputedStyle(document.documentElement);
	const font = getComputedStyle(document.body).fontFamily;
	return {
		canvas, context,
		draw(taken, left, right) {
			context.fillStyle = colours.getPropertyValue("--paper");
			context.fillRect(0, 0, width, height + band);
			context.putImageData(new ImageData(taken.pixels, taken.width, taken.height), 0, 0);
			const line = height + band / 2;
			context.textBaseline = "middle";
			context.font = `14px ${font}`;
			context.fillStyle = colours.getPropertyValue("--soft");
			const used = context.measureText(right).width;
			context.fillText(right, width - used - 10, line);
			context.font = `600 15px ${font}`;
			context.fillStyle = colours.getPropertyValue("--ink");
			context.fillText(shorten(context, left, width - used - 34), 10, line);
		},
	};
}

// shorten cuts a text to a width.
function shorten(context, text, width) {
	if (context.measureText(text).width <= width) return text;
	const letters = [...text];
	while (letters.length && context.measureText(`${letters.join("")}…`).width > width) letters.pop();
	return `${letters.join("")}…`;
}

// still returns a PNG of a moment of a match.
export async function still(board, at, left, right) {
	const { capture, close } = hiddenBoard(board);
	try {
		const taken = await capture(at, 960);
		const picture = captioned(taken.width, taken.height);
		picture.draw(taken, left, right);
		return await new Promise((resolve) => picture.canvas.toBlob(resolve, "image/png"));
	} finally {
		close();
	}
}

// animation returns a GIF of a match. captions(i, last) returns the left and the right part
// of the caption of a moment. progress(part) is called with the part that is done. The
// animation ends when the signal aborts.
export async function animation(board, stops, captions, progress, signal) {
	const every = Math.ceil(stops.length / (mostFrames - 1));
	const shown = stops.map((at, i) => ({ at, i })).filter(({ i }) => i % every === 0 || i === stops.length - 1);
	const { capture, close } = hiddenBoard(board);
	const worker = new Worker(prefixed("/assets/gifworker.js"), { type: "module" });
	const ask = (message, transfer) => new Promise((resolve, reject) => {
		worker.onmessage = ({ data }) => resolve(data);
		worker.onerror = () => reject(new Error(t("The animation could not be written.")));
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		worker.postMessage(message, transfer);
	});
	try {
		let size = null;
		let picture = null;
		const frame = async ({ at, i }) => {
			signal.throwIfAborted();
			const taken = await capture(at, 480, size?.height);
			size ??= taken;
			picture ??= captioned(size.width, size.height);
			picture.draw(taken, ...captions(i, i === stops.length - 1));
			return picture.context.getImageData(0, 0, picture.canvas.width, picture.canvas.height).data;
		};
		const samples = [];
		for (const part of [0, 0.3, 0.6, 1]) samples.push(await frame(shown[Math.round(part * (shown.length - 1))]));
		const all = new Uint8ClampedArray(samples.length * samples[0].length);
		samples.forEach((pixels, i) => all.set(pixels, i * pixels.length));
		worker.postMessage({ samples: all }, [all.buffer]);
		for (const [i, moment] of shown.entries()) {
			const pixels = await frame(moment);
			await ask({ frame: pixels, width: picture.canvas.width, height: picture.canvas.height, delay: i === shown.length - 1 ? rest : pause }, [pixels.buffer]);
			progress((i + 1) / shown.length);
		}
		const { bytes } = await ask({ finish: true });
		return new Blob([bytes], { type: "image/gif" });
	} finally {
		worker.terminate();
		close();
	}
}
