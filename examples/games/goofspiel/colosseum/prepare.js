// The parameters of a game, and the check of a creator's request.
'use strict';

const { Kind } = require('./messages');

const MIN_TIMEOUT = 0.1; // seconds, for every game
const MAX_TIMEOUT = 600;

/** A whole number from min to max. */
const int = (name, description, def, min, max) => ({ name, description, kind: Kind.INT, defaultValue: String(def), min, max });

/** A decimal number from min to max. */
const float = (name, description, def, min, max) => ({ name, description, kind: Kind.FLOAT, defaultValue: String(def), min, max });

/** One of several words. The first is the default. */
const choice = (name, description, ...choices) => ({ name, description, kind: Kind.CHOICE, defaultValue: choices[0], choices });

/** Any printable text of at most that many bytes; check refuses one that the game can't read. */
const text = (name, description, def, most) => ({ name, description, kind: Kind.TEXT, defaultValue: def, max: most });

/**
 * Checks a PrepareRequest against the game and completes it with the game's defaults.
 * Returns a PrepareReply. Its refusal is a text for the creator of the match.
 */
function prepare(game, request) {
  const { minPlayers, maxPlayers, maxBots = 0 } = game;
  const players = request.players ?? game.players ?? minPlayers;
  const timeout = request.timeout ?? game.timeout;
  const refuse = (refusal) => ({ refusal });
  if (!(players >= minPlayers && players <= maxPlayers)) {
    return refuse(`Cannot create game with ${players} players: ${game.name} is played by ${count(minPlayers, maxPlayers)}`);
  }
  if (request.bots > players || (request.bots === players && players > maxBots)) return refuse('Cannot have all server bots');
  if (request.bots > maxBots) return refuse(`Cannot create game with ${request.bots} bots: ${game.name} takes from 0 to ${maxBots}`);
  if (!(timeout >= MIN_TIMEOUT && timeout <= MAX_TIMEOUT)) {
    return refuse(`Timeout ${timeout} out of allowed range [${MIN_TIMEOUT}; ${MAX_TIMEOUT}]`);
  }
  const params = {};
  for (const p of game.params) params[p.name] = p.defaultValue;
  for (const [name, value] of Object.entries(request.args)) {
    const p = game.params.find((p) => p.name === name);
    if (!p) return refuse(`unknown parameter "${shorten(name)}" (${names(game)})`);
    params[name] = normalize(p, value);
    if (params[name] === undefined) return refuse(`Invalid ${p.description}: ${p.name}="${shorten(value)}" is not ${range(p)}`);
  }
  const refusal = game.check?.(values(game, params));
  return refusal ? refuse(refusal) : { refusal: '', players, timeout, params };
}

/** Returns the parameters of a match as numbers, words and texts, by name. */
function values(game, params) {
  const object = {};
  for (const p of game.params) object[p.name] = p.kind === Kind.CHOICE || p.kind === Kind.TEXT ? params[p.name] : Number(params[p.name]);
  return object;
}

/** Returns a text for the values of a parameter. */
function range(p) {
  switch (p.kind) {
    case Kind.INT: return `a whole number from ${p.min} to ${p.max}`;
    case Kind.FLOAT: return `a number from ${p.min} to ${p.max}`;
    case Kind.TEXT: return `a printable text of at most ${p.max} bytes`;
    default: return `one of ${p.choices.join(', ')}`;
  }
}

/** Returns the canonical form of a value, or undefined if the value is not allowed. */
function normalize(p, value) {
  if (p.kind === Kind.CHOICE) return p.choices.includes(value) ? value : undefined;
  if (p.kind === Kind.TEXT) {
    const trimmed = value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    return Buffer.byteLength(trimmed) <= p.max && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(trimmed) ? trimmed : undefined;
  }
  const form = p.kind === Kind.INT ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const n = Number(value) + 0; // 0 instead of -0
  return form.test(value) && n >= p.min && n <= p.max ? String(n) : undefined;
}

function names(game) {
  return game.params.length === 0 ? `${game.name} has none` : `have ${game.params.map((p) => p.name).join(', ')}`;
}

function count(min, max) {
  if (min < max) return `${min} to ${max} players`;
  return min === 1 ? 'exactly 1 player' : `exactly ${min} players`;
}

/** Limits the length of a client's text in a message. */
function shorten(text) {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

module.exports = { int, float, choice, text, prepare, values, range };
