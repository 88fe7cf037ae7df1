// The wait for the answers of a viewer. A slow one gets time, a note says that the page
// waits, and only one that never answers is given up.

const tick = 2500; // milliseconds
const longest = 10; // ticks until an answer is late

// Wait calls slow() when an answer has taken one tick, and late() when it has taken ten. It
// counts ticks rather than the time, so that a computer that was asleep waits again.
export class Wait {
	constructor(slow, late) {
		this.slow = slow;
		this.late = late;
		this.timer = null;
	}

	// begin starts the wait, unless it is running.
	begin() {
		if (this.timer === null) this.count(1);
	}

	count(n) {
		this.timer = setTimeout(() => {
			if (n === longest) {
				this.timer = null;
				this.late();
				return;
			}
			this.count(n + 1);
			if (n === 1) this.slow();
		}, tick);
	}

	end() {
		clearTimeout(this.timer);
		this.timer = null;
	}
}
