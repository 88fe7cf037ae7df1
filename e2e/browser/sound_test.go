package browser

import (
	"strings"
	"testing"
)

// soundsAreFewAndCanBeSwitchedOff records the tones of sound.js, with a clock of its own.
func soundsAreFewAndCanBeSwitchedOff(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		(async () => {
			let clock = 0, active = false, hidden = false, tones = [];
			performance.now = () => clock;
			Object.defineProperty(navigator, "userActivation", { value: { get hasBeenActive() { return active; } } });
			Object.defineProperty(document, "hidden", { get: () => hidden });
			const node = class { connect(to) { return to; } start() {} stop() {} };
			const param = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
			Object.assign(window, {
				AudioContext: class { state = "running"; sampleRate = 8000; destination = {}; get currentTime() { return clock / 1000; } },
				OscillatorNode: class extends node { constructor(_, { frequency }) { super(); this.frequency = frequency; } start(at) { tones.push(this.frequency + " at " + at.toFixed(2)); } },
				GainNode: class extends node { gain = param; }, BiquadFilterNode: node, AudioBufferSourceNode: node, AudioBuffer: class { length = 400; copyToChannel() {} },
			});
			localStorage.removeItem("sound");
			const { play, moved, button } = await import("/assets/sound.js"), all = [];
			const note = (what, act) => { tones = []; act(); all.push(what + ": " + tones.join(", ")); };
			note("before a gesture", () => play("turn"));
			active = true;
			note("four moves at once", () => ["move", "capture", "move", "move"].forEach((kind) => moved(kind)));
			note("a tenth of a second later", () => { clock += 100; moved("move"); });
			note("steps of a replay", () => [1000, 300, 200, 300].forEach((ms) => { clock += ms; moved("move", true); }));
			hidden = true;
			note("in the background", () => { clock += 5000; play("move"); play("turn"); });
			hidden = false;
			clock += 5000;
			const switcher = button();
			note("switched off", () => { switcher.click(); play("move"); });
			all.push(switcher.getAttribute("aria-pressed") + " " + localStorage.getItem("sound"));
			note("switched on", () => switcher.click());
			localStorage.removeItem("sound");
			done(all);
		})().catch((error) => done([String(error.stack || error)]));`}, &got)
	want := []string{
		"before a gesture: ",
		"four moves at once: 240 at 0.00, 330 at 0.08, 180 at 0.14, 240 at 0.16",
		"a tenth of a second later: ",
		"steps of a replay: 240 at 1.10, 240 at 1.40, 240 at 1.90",
		"in the background: 660 at 6.90, 880 at 7.02",
		"switched off: ",
		"false off",
		"switched on: 240 at 11.90",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
