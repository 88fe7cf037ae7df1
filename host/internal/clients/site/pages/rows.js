// Long lists, of which only the elements around the current one are in the document.

const most = 600; // elements in the document
const stride = 100; // by which they move

// Rows shows a list in an element. make(item, i) returns the element of an item, and
// paint(element, on) shows whether it is on.
export class Rows {
	constructor(box, make, paint) {
		Object.assign(this, { box, make, paint });
		this.clear();
	}

	clear() {
		this.from = 0; // index of the first element
		this.rows = []; // {element, on}
		this.box.replaceChildren();
	}

	// show shows the items around an index; on(i) reports whether one is on. Items that
	// are in the document already keep their elements.
	show(items, index, on) {
		const latest = Math.max(0, stride * Math.ceil((items.length - most) / stride));
		const from = Math.min(latest, Math.max(0, stride * Math.floor((index - most / 2) / stride)));
		const to = Math.min(items.length, from + most);
		if (from >= this.from + this.rows.length || to <= this.from) this.clear();
		if (this.rows.length === 0) this.from = from;
		for (const row of this.rows.splice(0, from - this.from)) row.element.remove();
		for (const row of this.rows.splice(Math.max(0, to - Math.max(from, this.from)))) row.element.remove();
		const row = (i) => ({ element: this.make(items[i], i), on: false });
		const before = Array.from({ length: Math.max(0, this.from - from) }, (_, i) => row(from + i));
		const after = Array.from({ length: Math.max(0, to - Math.max(from, this.from) - this.rows.length) }, (_, i) => row(Math.max(from, this.from) + this.rows.length + i));
		this.box.prepend(...before.map((r) => r.element));
		this.box.append(...after.map((r) => r.element));
		this.rows = [...before, ...this.rows, ...after];
		this.from = from;
		this.rows.forEach((r, i) => {
			if (r.on !== on(from + i)) this.paint(r.element, (r.on = !r.on));
		});
	}

	// at returns the element of an item, or undefined.
	at(index) {
		return this.rows[index - this.from]?.element;
	}
}
