// A spectator of the match.
import { Session, result } from "./host.js";
import { connected } from "./unreachable.js";
import { id, page, clocks, notice, begin, take, show } from "./matchpage.js";
import { offer, update } from "./waiting.js";

// watch shows a match that waits or runs.
export async function watch() {
	page.mode = page.info.running ? "watching" : "waiting";
	page.synced = false;
	await begin("spectator");
	offer();
	page.session = new Session({
		Handshake: () => page.session.send("SpectateJoin", { id }),
		SpectateJoined: (fields) => {
			try {
				update(result(fields.info));
				page.wait = 0;
				connected();
				notice("");
			} catch {
				page.load(); // it has ended since
			}
		},
		LobbyUpdate: (fields) => update(fields.info),
		LobbyDelete: () => page.load(),
		SpectateStarted: () => {
			page.mode = "watching";
			offer();
		},
		SpectateSynced: () => {
			page.synced = true;
			clocks.restart(700);
			show(false);
		},
		SpectateEnded: () => page.load(),
		lines: (lines) => take(lines),
		closed: (reason, code, heard) => page.again(code === 4002 ? new Error(reason) : null, !heard),
	});
}
