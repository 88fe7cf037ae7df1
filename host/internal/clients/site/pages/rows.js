// Long lists, of which only the elements around the visible ones are in the document.

const most = 120; // elements in the document
const stride = 30; // by which they move

// Rows shows a list in an element. make(item, i) returns the element of an item, and
// paint(element, state) shows its state. scroller is the element that scrolls.
export class Rows {
	constructor(box, scroller, make, paint) {
		Object.assign(this, { box, scroller, make, paint });
		scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
		this.clear();
	}

	clear() {
		this.items = [];
		this.from = 0; // index of the first element
		this.rows = []; // {element, state}
		this.box.replaceChildren();
	}

	// show shows the items around an index; state(i) returns the state of one. Items that
	// are in the document already keep their elements.
	show(items, index, state) {
		Object.assign(this, { items, state });
		const end = this.from + this.rows.length;
		const inside = index >= this.from + Math.min(stride, this.from) && index < end - (end < items.length ? stride : 0);
		this.move(inside ? this.from : stride * Math.floor((index - most / 2) / stride));
	}

	// move shows the items from an index on.
	move(wanted) {
		const { items } = this;
		const latest = Math.max(0, stride * Math.ceil((items.length - most) / stride));
		const from = Math.min(latest, Math.max(0, wanted));
		const to = Math.min(items.length, from + most);
		if (from >= this.from + this.rows.length || to <= this.from) this.forget();
		if (this.rows.length === 0) this.from = from;
		for (const row of this.rows.splice(0, from - this.from)) row.element.remove();
		for (const row of this.rows.splice(Math.max(0, to - Math.max(from, this.from)))) row.element.remove();
		const row = (i) => ({ element: this.make(items[i], i), state: undefined });
		const before = Array.from({ length: Math.max(0, this.from - from) }, (_, i) => row(from + i));
		const after = Array.from({ length: Math.max(0, to - Math.max(from, this.from) - this.rows.length) }, (_, i) => row(Math.max(from, this.from) + this.rows.length + i));
		this.box.prepend(...before.map((r) => r.element));
		this.box.append(...after.map((r) => r.element));
		this.rows = [...before, ...this.rows, ...after];
		this.from = from;
		this.rows.forEach((r, i) => {
			const state = this.state(from + i);
			if (r.state !== state) this.paint(r.element, (r.state = state));
		});
	}

	// renew makes the element of an item again.
	renew(index) {
		const row = this.rows[index - this.from];
		if (!row) return;
		const element = this.make(this.items[index], index);
		if (row.state !== undefined) this.paint(element, row.state);
		row.element.replaceWith(element);
		row.element = element;
	}

	// forget removes all elements.
	forget() {
		this.from = 0;
		this.rows = [];
		this.box.replaceChildren();
	}

	// scrolled shows more items when the person scrolls to the first or last ones.
	scrolled() {
		const { scrollTop, clientHeight, scrollHeight } = this.scroller;
		const end = this.from + this.rows.length;
		const up = scrollTop < clientHeight && this.from > 0;
		if (!up && !(scrollTop + 2 * clientHeight > scrollHeight && end < this.items.length)) return;
		const kept = this.rows[up ? 0 : stride]?.element; // it stays where it is
		const before = kept?.offsetTop;
		this.move(this.from + (up ? -stride : stride));
		if (kept?.isConnected) this.scroller.scrollTop += kept.offsetTop - before;
	}

	// at returns the element of an item, or undefined.
	at(index) {
		return this.rows[index - this.from]?.element;
	}
}

// keepInView scrolls a box to one of its children, without scrolling the page.
export function keepInView(box, child) {
	if (!child) return;
	const top = child.offsetTop; // relative to the box, which is positioned
	if (top < box.scrollTop || top + child.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}
