// The states of a program that was handed in, and its build as it goes.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { t } from "./i18n.js";
import { prefixed } from "./path.js";

const retry = 3000; // milliseconds after a request that failed

export const address = (v) => `/api/games/${encodeURIComponent(v.game)}/submissions/${v.version}`;
export const done = (v) => ["accepted", "refused", "removed"].includes(v.state);

// state describes a version: {text, tone}, where the tone is good, bad or "".
export function state(v) {
	switch (v.state) {
	case "queued":
		return { text: v.position ? t("○ waits, {position} in the queue", { position: v.position }) : t("○ waits"), tone: "" };
	case "building":
		return { text: t("● being built"), tone: "" };
	case "trying":
		return { text: t("● plays trial matches"), tone: "" };
	case "accepted":
		if (!v.active) return { text: t("accepted, does not play"), tone: "" };
		return v.rests ? { text: t("‖ rests"), tone: "bad" } : { text: t("✓ plays"), tone: "good" };
	case "refused":
		return { text: t("refused"), tone: "bad" };
	default:
		return { text: v.state, tone: "" };
	}
}

// reason says why a version is in its state, and whose fault that is; nothing without one.
export function reason(v) {
	if (!v.reason) return false;
	return v.fault === "host"
		? [h("p", { class: "reason" }, h("b", null, t("A fault of this host:")), ` ${v.reason}`), !done(v) && h("p", { class: "hint" }, t("It tries again by itself. You need not hand the program in again."))]
		: h("p", { class: "reason" }, v.fault === "program" && [h("b", null, t("Your program:")), " "], v.reason);
}

// follow calls show(version, output) with all that comes, until the build is done or the
// signal is aborted.
export async function follow(v, show, signal) {
	for (let from = 0; !signal.aborted;) {
		let answer;
		try {
			answer = await api(`${address(v)}?from=${from}&state=${v.state}&wait=1`);
		} catch (error) {
			if ([401, 403, 404].includes(error.status)) throw error;
			await new Promise((resolve) => setTimeout(resolve, retry));
			continue;
		}
		if (signal.aborted) return;
		from = answer.total;
		v = answer;
		show(v, v.log);
		if (done(v)) return;
	}
}

// output returns a box for the output of a build, and a function that adds to it.
export function output(version) {
	const box = h("pre", { class: "output", tabindex: "0", role: "region", "aria-label": t("Output of the build of version {version}", { version }) });
	const add = (text) => {
		const down = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
		box.append(text);
		if (down) box.scrollTop = box.scrollHeight;
	};
	return [box, add];
}

// Receipt shows the upload of a program, and then its build.
export class Receipt {
	constructor(element, game) {
		Object.assign(this, { element, game, busy: false });
	}

	// send hands a program in. It returns when the version is accepted or refused.
	async send(name, body) {
		if (this.busy) return;
		this.busy = true;
		const status = h("p", { class: "status", role: "status" });
		const why = h("div", { role: "alert" });
		const [box, add] = output("");
		fill(this.element, status, why, box);
		try {
			const bar = h("progress", { max: "1", value: "0", "aria-label": t("Sending {file}", { file: name }) });
			fill(status, t("Sending {file}", { file: name }), " ", bar);
			const v = await upload(`/api/games/${encodeURIComponent(this.game)}/submissions?${new URLSearchParams({ file: name })}`, body, (part) => (bar.value = part));
			box.setAttribute("aria-label", t("Output of the build of version {version}", v));
			const show = (now, text) => {
				add(text);
				const line = said(now);
				if (status.textContent !== line) status.textContent = line;
				if (done(now)) status.append(" ", h("a", { href: "/programs" }, t("My programs")));
				fill(why, reason(now));
			};
			show(v, "");
			await follow(v, show, new AbortController().signal);
		} catch (error) {
			fill(status);
			fill(why, h("p", { class: "fault" }, error.message));
		}
		this.busy = false;
	}
}

// said is a sentence about a version.
function said(v) {
	if (v.state === "accepted") return v.active ? t("Version {version} is accepted. It plays for you from now on.", v) : t("Version {version} is accepted.", v);
	if (v.state === "refused") return t("Version {version} is refused.", v);
	return t("Version {version}: {state}", { version: v.version, state: state(v).text });
}

// upload sends a file, and returns the version that it became. part(x) is called with the
// part that was sent.
function upload(path, body, part) {
	return new Promise((resolve, reject) => {
		const request = new XMLHttpRequest(); // fetch does not say how much was sent
		request.open("POST", prefixed(path));
		request.responseType = "json";
		request.setRequestHeader("Content-Type", "application/octet-stream");
		request.upload.onprogress = (event) => part(event.loaded / event.total);
		request.onload = () => (request.status === 201 ? resolve(request.response) : reject(new Error(request.response?.error || `${request.status}`)));
		request.onerror = () => reject(new Error(t("the connection was lost")));
		request.send(body);
	});
}
