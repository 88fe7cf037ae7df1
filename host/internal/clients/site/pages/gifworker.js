// The worker that writes an animation, so that the page stays responsive. It gets
// {samples, pixels of some frames, from which it chooses the colours}, then {frame, width,
// height, delay} for each frame, and {finish}. It answers {written} to each frame, and
// {bytes} at the end.
import { GIFEncoder, applyPalette, quantize } from "./gifenc.js";

const unchanged = 255; // colour of pixels that are as in the frame before
const gif = GIFEncoder();
let palette = null;
let before = null;

onmessage = ({ data }) => {
	if (data.samples) {
		palette = quantize(data.samples, unchanged);
		while (palette.length <= unchanged) palette.push([0, 0, 0]);
	}
	if (data.frame) {
		const { frame, width, height, delay } = data;
		const now = applyPalette(frame, palette.slice(0, unchanged));
		const different = before ? now.map((colour, i) => (colour === before[i] ? unchanged : colour)) : now;
		gif.writeFrame(different, width, height, { delay, palette: before ? null : palette, transparent: Boolean(before), transparentIndex: unchanged, dispose: 1 });
		before = now;
		postMessage({ written: true });
	}
	if (data.finish) {
		gif.finish();
		postMessage({ bytes: gif.bytes() });
	}
};
