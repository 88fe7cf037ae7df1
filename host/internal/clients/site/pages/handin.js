// The area of a game's page in which a person hands a program in.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { Receipt } from "./build.js";
import { number, t } from "./i18n.js";
import * as person from "./person.js";

// handIn fills a section, if programs can be handed in for the game.
export async function handIn(element, game) {
	if (!game.submissions) return;
	await person.known;
	const body = h("div");
	const box = h("div", { class: "build" });
	const receipt = new Receipt(box, game.name);
	fill(element, h("h2", null, t("Hand your bot in")), h("p", { class: "hint" }, t("This host then runs it: it plays day and night, also while your computer is off.")), body, box);
	await new Promise((drawn) => {
		person.onAccount((player) => draw(body, receipt, player).catch((error) => fill(body, h("p", { class: "fault" }, error.message))).then(drawn));
	});
}

async function draw(body, receipt, player) {
	if (!player) {
		fill(body, h("p", null, t("Log in or register at the top of the page to hand it in.")));
		return;
	}
	const { languages, most } = await api("/api/submissions");
	const names = languages.map((l) => `${l.title} ${l.version}`.trim()).join(", ");
	const fault = h("p", { class: "fault", role: "alert" });
	const input = h("input", { type: "file", onchange: () => take([...input.files]) });
	const area = h("label", { class: "drop" }, input,
		h("span", null, t("Drop a file or a zip here, or")), h("span", { class: "button", "aria-hidden": "true" }, t("Choose a file")));
	area.addEventListener("dragover", (event) => {
		event.preventDefault();
		area.classList.add("over");
	});
	area.addEventListener("dragleave", () => area.classList.remove("over"));
	area.addEventListener("drop", (event) => {
		event.preventDefault();
		area.classList.remove("over");
		const folder = [...event.dataTransfer.items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
		take(folder ? [] : [...event.dataTransfer.files]);
	});
	const take = async (files) => {
		if (receipt.busy) return;
		const [file] = files;
		fault.textContent = files.length !== 1 ? t("One file, please: pack a folder or several files as a zip.")
			: file.size > most ? t("{file} is too long: at most {size} MiB.", { file: file.name, size: number(most / 2 ** 20) }) : "";
		if (fault.textContent) return;
		input.disabled = true;
		await receipt.send(file.name, file);
		input.disabled = false;
		input.value = ""; // the same file can be chosen again
	};
	fill(body, area, fault, h("p", { class: "hint" }, t("One source file, or an archive (zip, tar, tar.gz) of at most {size} MiB. Languages: {names}.", { size: number(most / 2 ** 20), names })));
}
