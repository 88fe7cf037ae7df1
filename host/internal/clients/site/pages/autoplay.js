// Replays that begin by themselves, when the address ends with ?autoplay or
// ?autoplay&speed=2 (moves per second).

// autoplay starts the replay of an ended match, if the address says so.
export function autoplay(timeline) {
	const wishes = new URLSearchParams(location.search);
	if (!wishes.has("autoplay")) return;
	timeline.jump(0);
	timeline.start(Math.min(20, Math.max(0.1, Number(wishes.get("speed")) || 2)));
}
