// The runtime of a bot in Python, in the worker of the frame, next to MicroPython. A program
// that waits for a line in any depth of calls leaves WebAssembly by Asyncify: its stack is
// written into memory, and read from it when the line has come.
async function play(read, write, { module, prelude, source }) {
	const room = 1 << 18; // bytes for the stack of a bot that waits
	let wasm = null; // the exports
	let line = null; // that comes next
	let waits = true; // there is no line yet
	let asks = false; // the bot has asked in vain
	let failed = null;

	const instantiateWasm = (imports, done) => {
		const { call1 } = imports.env; // calls of functions of JavaScript, read among them
		imports.env.call1 = (...args) => {
			if (wasm.asyncify_get_state() === 2) wasm.asyncify_stop_rewind();
			call1(...args);
			if (!asks) return;
			asks = false;
			wasm.asyncify_start_unwind(stack);
		};
		WebAssembly.instantiate(module, imports).then((instance) => {
			wasm = instance.exports;
			done(instance, module);
		});
		return {};
	};
	const python = await micropython.loadMicroPython({ instantiateWasm, heapsize: 8 << 20, pystack: 1 << 16, stdout: console.log, stderr: console.log });
	const stack = wasm.malloc(room);
	new Uint32Array(wasm.memory.buffer, stack, 2).set([stack + 8, stack + room]);
	python.registerJsModule("_host", {
		room: 2 * room, source, write, log: (text) => console.log(text),
		fail: (text) => { failed = text; },
		read: () => {
			asks = waits;
			waits = true;
			return asks ? null : line;
		},
	});
	python.runPython(prelude);
	const roots = new Uint32Array(wasm.memory.buffer, python.globals.get("address"), 4)[3]; // of its bytes

	// collect frees what the bot no longer refers to, if its memory was short. MicroPython
	// collects only when no program runs, and looks for references in objects, not on the stack.
	const collect = () => {
		const bytes = new Uint8Array(wasm.memory.buffer);
		const top = wasm.emscripten_stack_get_current();
		const end = new Uint32Array(wasm.memory.buffer, stack, 1)[0];
		bytes.fill(0, roots, roots + 2 * room);
		bytes.copyWithin(roots, stack, end);
		bytes.copyWithin(roots + room, top, Math.min(wasm.emscripten_stack_get_base(), top + room));
		python.runPython("");
	};

	const main = python.globals.get("main")._ref;
	for (;;) {
		wasm.proxy_c_to_js_get_iter(main);
		if (wasm.asyncify_get_state() !== 1) break;
		wasm.asyncify_stop_unwind();
		collect();
		line = await read();
		waits = false;
		wasm.asyncify_start_rewind(stack);
	}
	if (failed) throw failed.replace(/  File "<stdin>".*\n/g, "").trim(); // those of the prelude
}
