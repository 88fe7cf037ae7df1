package browser

import "testing"

// longListOfMovesHasTheVisibleOnes lists 5,000 moves, goes back and scrolls.
func longListOfMovesHasTheVisibleOnes(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		(async () => {
			const { MoveList } = await import("/assets/moves.js");
			const box = document.createElement("ol"), head = document.createElement("p");
			box.style.cssText = "position: relative; height: 200px; overflow: auto";
			document.body.append(head, box);
			const said = [], show = (at) => list.show(at);
			const list = new MoveList(box, head, { jump: show }, { note: () => "", player: (seat) => ({ name: "p" + seat }) });
			const say = (name, value) => said.push(name + " " + value);
			list.clear(2);
			list.add(Array.from({ length: 5000 }, (_, i) => ({ at: i + 1, text: "m" + (i + 1), seat: i % 2 })));
			show(5000);
			const current = () => box.querySelector("[aria-current=step]")?.textContent;
			say("few", box.querySelectorAll("button").length < 500);
			say("current", current());
			show(2500);
			box.querySelector(".current").focus();
			box.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
			say("up", current() + " " + document.activeElement.textContent);
			const until = async (f) => { while (!f()) { box.scrollTop = 0; await new Promise((r) => setTimeout(r, 5)); } };
			await until(() => box.firstChild.dataset.number === "1");
			list.judge(new Map([[2, { mark: "?", text: "weak" }]])); // the current move is in sight again
			await until(() => box.firstChild.dataset.number === "1");
			say("sign", box.firstChild.textContent);
			list.clear(2);
			list.add([{ at: 1, text: "a", seat: 0 }, { at: 2, text: "b", seat: 0 }, { at: 3, text: "c", seat: 1 }, { at: 4, text: "d", seat: null }]); // a turn more, and one of both
			show(4);
			say("rounds", [...box.children].map((li) => [...li.children].map((e) => e.textContent || "-").join("")).join());
			list.together();
			say("together", box.textContent + box.children.length + head.hidden);
			box.remove();
			head.remove();
			done(said.join(", "));
		})().catch((error) => done(String(error.stack)));`}, &got)
	if want := "few true, current m5000, up m2498 m2498, sign m1m2?, rounds a-,bc,d, together abcd4true"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func movesHaveTheTimesOfTheirAnswers(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		import("/assets/moves.js").then(({ timesOf }) => {
			const moves = [{ seat: 0 }, { seat: 1 }, { seat: 0 }];
			const answers = [{ seat: 1, at: 2 }, { seat: 0, at: 2.5 }, { seat: 1, at: 4, wall: 0.25 }, { seat: 0, at: 9, outcome: "timeout" }];
			done(JSON.stringify([timesOf(moves, answers, [1, 0]), timesOf(moves.slice(1), answers, [1, 0])]));
		}, (error) => done(String(error)));`}, &got)
	if want := "[[2,0.5,0.25],[]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
