// Three steps that bring a visitor's own program into a match: coco, an example player,
// and the line that connects them.
import { h, fill, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { t } from "./i18n.js";
import { absolute } from "./path.js";

const systems = [
	{ id: "linux-amd64", name: "Linux (Intel, AMD)" },
	{ id: "linux-arm64", name: "Linux (ARM)" },
	{ id: "darwin-arm64", name: "macOS (Apple)" },
	{ id: "darwin-amd64", name: "macOS (Intel)" },
	{ id: "windows-amd64", name: "Windows (Intel, AMD)" },
	{ id: "windows-arm64", name: "Windows (ARM)" },
];

// build is the command that compiles an example player, and run the one that starts it.
const languages = {
	Python: { run: ["python3", "player.py"], windows: ["python", "player.py"] },
	C: { build: "cc -o player player.c", run: ["./player"], windows: [".\\player.exe"] },
	Go: { build: "go build player.go", run: ["./player"], windows: [".\\player.exe"] },
	JavaScript: { run: ["node", "player.js"] },
	Java: { build: "javac Player.java", run: ["java", "Player"] },
};

// bring fills a section with the steps for one of the games. It keeps what was chosen
// when it is called again.
let system = visitors();
let language = null;
let chosen = null; // name of a game
export async function bring(element, games) {
	games = games.filter((g) => !g.unavailable);
	if (games.length === 0) return;
	const { downloads } = await api("/api/downloads").catch(() => ({ downloads: [] }));
	let drawn = 0;
	async function draw() {
		const turn = ++drawn;
		const name = games.some((g) => g.name === chosen) ? chosen : games[0].name;
		const listed = games.find((g) => g.name === name);
		const game = listed.html === undefined ? await api(`/api/games/${encodeURIComponent(name)}`).catch(() => listed) : listed;
		if (turn !== drawn) return; // another choice was made since
		const choose = (id, label, value, options, set) => h("label", { for: id }, label, " ",
			h("select", { id, "data-key": id, onchange: (event) => {
				set(event.target.value);
				draw();
			} }, options.map(([v, text]) => h("option", { value: v, selected: v === value }, text))));
		fill(element,
			h("h2", { id: "bring-heading" }, t("Bring your own bot")),
			h("p", { class: "hint" }, t("A bot is a program that reads lines and writes lines. It runs on your computer. Copy these three steps into a terminal."), " ",
				h("a", { href: `/games/${encodeURIComponent(name)}/bot` }, t("Or write one here, in the browser"))),
			h("div", { class: "choices" },
				games.length > 1 && choose("bring-game", t("Game"), name, games.map((g) => [g.name, g.title || g.name]), (v) => (chosen = v)),
				choose("bring-system", t("Your system"), system, systems.map((s) => [s.id, s.name]), (v) => (system = v)),
				game.players?.length > 0 && choose("bring-language", t("Language##programs"), languageOf(game), game.players.map((p) => [p.language, p.language]), (v) => (language = v))),
			h("ol", { class: "steps" }, client(downloads, game), example(game), connection(game)));
	}
	await draw();
}

const step = (title, ...content) => h("li", null, h("h3", null, title), content);

// lines returns commands as one block, with a button that copies all of them.
const lines = (label, ...commands) => h("div", { class: "lines" }, copyable(commands.filter(Boolean).join("\n"), label));

function client(downloads, game) {
	const file = downloads.find((d) => `${d.system}-${d.architecture}` === system);
	const title = t("Get coco, the program that connects your bot");
	if (!file) {
		const address = `/games/${encodeURIComponent(game.name)}`;
		return step(title, h("p", { class: "hint" }, t("This host has no coco for this system. You do not need it for these:")),
			h("p", { class: "buttons" }, h("a", { class: "button main", href: `${address}/bot`, "data-key": "without coco" }, t("Write a bot here, in the browser")),
				game.submissions && h("a", { class: "button", href: `${address}#hand-in`, "data-key": "hand in" }, t("Hand in a program, and this host runs it"))),
			h("p", { class: "hint" }, t("Or build it: install Go 1.26 or newer (go.dev/dl), get the source of Colosseum from the operator of this host, and type in its folder:")),
			lines(t("the lines for step {n}", { n: "1" }), "go build -o bin/ ./coco", "cd bin"));
	}
	const path = `/download/${file.name}`;
	const url = absolute(path);
	const commands = {
		linux: [`curl -fo coco ${url}`, `echo "${file.sha256}  coco" | sha256sum -c`, "chmod +x coco"],
		darwin: [`curl -fo coco ${url}`, `echo "${file.sha256}  coco" | shasum -a 256 -c`, "chmod +x coco"],
		windows: [`curl.exe -fo coco.exe ${url}`, `(Get-FileHash coco.exe).Hash -eq "${file.sha256}"`],
	}[file.system];
	return step(title, lines(t("the lines for step {n}", { n: "1" }), ...commands),
		h("p", { class: "hint" }, h("a", { href: `${path}?sha256=${file.sha256}`, download: file.name }, file.name), ` · ${t("{n} MB", { n: (file.bytes / 1e6).toFixed(1) })} · SHA-256 `, h("code", { class: "sum" }, file.sha256)));
}

const languageOf = (game) => (game.players || []).find((p) => p.language === language)?.language ?? game.players?.[0]?.language ?? null;

function example(game) {
	const player = game.players?.find((p) => p.language === languageOf(game));
	const rules = h("a", { href: `/games/${encodeURIComponent(game.name)}#rules` }, t("the rules"));
	if (!player) {
		return step(t("Write your bot"), h("p", { class: "hint" }, t("This game has no example. What a bot reads and writes is in:"), " ", rules));
	}
	const path = `/games/${encodeURIComponent(game.name)}/players/${player.file}`;
	const curl = system.startsWith("windows") ? "curl.exe" : "curl";
	return step(t("Get an example bot, and change it"),
		lines(t("the lines for step {n}", { n: "2" }), `${curl} -fO ${absolute(path)}`, languages[player.language].build),
		h("p", { class: "hint" }, h("a", { href: path, target: "_blank" }, t("Look at {file}", { file: player.file })), " · ", t("What a bot reads and writes is in:"), " ", rules));
}

function connection(game) {
	const windows = system.startsWith("windows");
	const program = languages[languageOf(game)] ?? { run: ["PROGRAM"] };
	const players = Math.min(game.max_players, Math.max(game.min_players, 2));
	const bots = Math.min(players - 1, game.max_bots);
	const options = [players > 2 && ["-n", players], bots > 0 && ["-b", bots]].filter(Boolean).flat();
	const command = cocoCommand("new", game.name, ...options, "--", ...(windows && program.windows || program.run));
	return step(bots > 0 ? t("Play against the bot of this host") : t("Create a match and join it"),
		lines(t("the line for step {n}", { n: "3" }), command.replace(/^coco/, windows ? ".\\coco.exe" : "./coco")),
		h("p", { class: "hint" }, t("The match is in the list of matches while it runs, and under Results when it has ended.")));
}

// visitors returns the visitor's system, as far as the browser shows it.
function visitors() {
	const platform = `${navigator.userAgentData?.platform ?? ""} ${navigator.platform} ${navigator.userAgent}`;
	if (/Windows|Win32/.test(platform)) return /ARM64/.test(platform) ? "windows-arm64" : "windows-amd64";
	if (/mac/i.test(platform)) return "darwin-arm64"; // browsers on both kinds say Intel
	return /aarch64|arm64/.test(navigator.platform) ? "linux-arm64" : "linux-amd64";
}
