const fs = require("fs"), net = require("net"), { spawnSync } = require("child_process");
const neighbour = require("./neighbour");
const [action, target] = process.argv.slice(2).map((word) => word.replace(/^@/, ""));

function attack() {
	switch (action) {
		case "read":
			return fs.readFileSync(target);
		case "write":
			return fs.writeFileSync(target, "x");
		case "environment":
			return process.env.SECRET || fs.readFileSync(`/proc/${process.ppid}/environ`);
		case "start": {
			const child = spawnSync(target);
			if (child.error) throw child.error;
			return child.status;
		}
		case "kill":
			return process.kill(process.ppid, 0);
	}
}

const finish = (answer) => process.stdout.write(answer + "\n", () => process.exit(0));
const refused = (e) => {
	console.error("refused:", e.message);
	finish(neighbour.win);
};

require("readline").createInterface({ input: process.stdin }).once("line", () => {
	const held = [];
	while (action === "memory") held.push(new Array(1 << 20).fill(Math.random()));
	while (action === "compute");
	if (action === "connect") {
		net.connect(Number(target), "127.0.0.1", () => finish("it could connect")).on("error", refused);
		return;
	}
	if (action === "play") return finish(neighbour.win);
	try {
		finish(`it could ${action}: ${attack()}`);
	} catch (e) {
		refused(e);
	}
});
