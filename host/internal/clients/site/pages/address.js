// The address of the shown moment: the number of its last move after #. Without a number,
// the page shows the newest moment.

const pause = 400; // milliseconds between two changes: browsers refuse more than about 100 in 30 s

export class Address {
	constructor(timeline) {
		this.timeline = timeline;
		this.last = -pause; // time of the last change, as performance.now
		this.timer = 0;
		addEventListener("hashchange", (event) => {
			const { hash } = new URL(event.newURL); // write can have changed location since
			if (!this.open(hash) && hash === "") timeline.jump(timeline.length);
		});
	}

	// open shows the moment of the address, and reports whether it has one.
	open(hash = location.hash) {
		const number = /^#(\d{1,9})$/.exec(hash)?.[1];
		if (number !== undefined) this.timeline.want(Number(number));
		return number !== undefined;
	}

	// write puts the shown moment into the address. It is called after each step.
	write() {
		this.timer ||= setTimeout(() => {
			this.timer = 0;
			this.last = performance.now();
			const { follow, wanted, number } = this.timeline;
			const hash = follow ? "" : `#${number}`;
			if (wanted !== null || hash === location.hash || hash === "" && !/^#\d/.test(location.hash)) return;
			history.replaceState(null, "", location.pathname + location.search + hash);
		}, Math.max(0, this.last + pause - performance.now()));
	}
}
