// Pictures of a board, for sharing. An image of the drawing cannot use the styles of the
// frame, so each element gets those that it has here.
"use strict";

// capture returns the drawing in the root as pixels of the given width. Without a height,
// the picture has the drawing's shape. The HTML around the drawing is left out.
async function capture(root, { number, width, height }) {
	const inherited = ["clip-rule", "color", "dominant-baseline", "fill", "fill-opacity", "fill-rule", "font-family", "font-size", "font-style", "font-variant-numeric", "font-weight", "letter-spacing", "paint-order", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width", "text-anchor", "visibility"];
	const own = { "clip-path": "none", display: "inline", filter: "none", mask: "none", opacity: "1", rotate: "none", scale: "none", "stop-color": "rgb(0, 0, 0)", "stop-opacity": "1", transform: "none", translate: "none" };
	const picture = [...root.querySelectorAll("svg")].find((e) => !e.parentElement.closest("svg, button"));
	const box = picture?.viewBox.baseVal;
	if (!box?.width || !box.height) throw new Error("there is no drawing with a viewBox");
	height ??= Math.min(2 * width, Math.round(width * box.height / box.width));
	const copy = picture.cloneNode(true);
	const originals = [picture, ...picture.querySelectorAll("*")];
	const styles = new Map();
	for (const [i, e] of [copy, ...copy.querySelectorAll("*")].entries()) {
		const style = getComputedStyle(originals[i]);
		const above = styles.get(originals[i].parentNode);
		styles.set(originals[i], style);
		for (const name of ["class", "id", "tabindex", "role"]) if (name !== "id" || e === copy) e.removeAttribute(name);
		const set = (name) => e.style.setProperty(name, style.getPropertyValue(name));
		for (const name of inherited) if (!above || style.getPropertyValue(name) !== above.getPropertyValue(name)) set(name);
		if (e === copy) continue;
		for (const [name, usual] of Object.entries(own)) if (style.getPropertyValue(name) !== usual) set(name);
		if (style.transform !== "none" || style.rotate !== "none" || style.scale !== "none") ["transform-origin", "transform-box"].forEach(set);
		e.style.animation = e.style.transition = "none";
	}
	copy.prepend(document.querySelector("#materials defs").cloneNode(true));
	const variables = getComputedStyle(document.documentElement);
	for (const name of ["paper", "ink", "soft", "line", "field", "first", "second", "third", "fourth", "on", "accent", "good", "bad", "white", "white-high", "white-side", "black", "black-high", "black-side", "alarm"]) copy.style.setProperty(`--${name}`, variables.getPropertyValue(`--${name}`));
	copy.setAttribute("width", width);
	copy.setAttribute("height", height);
	const image = new Image();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
	await image.decode();
	const canvas = document.createElement("canvas");
	Object.assign(canvas, { width, height });
	const context = canvas.getContext("2d");
	context.fillStyle = variables.getPropertyValue("--paper");
	context.fillRect(0, 0, width, height);
	context.fillStyle = styles.get(picture).backgroundColor;
	context.fillRect(0, 0, width, height);
	context.drawImage(image, 0, 0, width, height);
	return { number, width, height, pixels: context.getImageData(0, 0, width, height).data.buffer };
}
