import { isDeepStrictEqual } from 'node:util';
import { embeddedJson, opaqueJson, stringifyJson } from '@orch/codec';
import { goJson, type JsonValue, textOf, withText } from '@orch/machinery';
import { memberIn } from '../decoding/json-ranges.js';

type Members = Record<string, unknown>;

/** Records the texts of members that are preserved byte for byte. @param text JSON that the object was read from */
export function noteTexts(object: Members, names: readonly string[], text: Buffer): void {
  for (const name of names) {
    const range = memberIn(text, { from: 0, to: text.length }, name);
    if (range) withText(object[name], text.toString('utf8', range.from, range.to));
  }
}

/**
 * Gives opaque members without a text of their own (sent in YAML, or created by a patch) the text that the reference
 * generates.
 */
export function makeTexts(object: Members, names: readonly string[]): void {
  for (const name of names) {
    const value = object[name];
    if (textOf(value) === undefined) withText(value, goJson(value as JsonValue));
  }
}

/**
 * Keeps the old text of a member whose value is unchanged: a client that writes back what it has read changes nothing.
 */
export function keepTexts(object: Members, old: Members, names: readonly string[]): void {
  for (const name of names) {
    if (textOf(old[name]) !== undefined && isDeepStrictEqual(object[name], old[name])) object[name] = old[name];
  }
}

/** Serializes an object as JSON, with the texts of its members that have one. It must have other members too. */
export function stringifyMembers(object: Members): string {
  const opaque = Object.keys(object).filter((name) => textOf(object[name]) !== undefined);
  if (opaque.length === 0) return stringifyJson(object);
  const others = { ...object };
  for (const name of opaque) delete others[name];
  const texts = opaque.map((name) => `,${JSON.stringify(name)}:${opaqueJson(object[name])}`);
  return `${stringifyJson(others).slice(0, -1)}${texts.join('')}}`;
}

/** Returns a stored body as it appears in a response: opaque texts are embedded as the reference embeds them. */
export function embedTexts(body: Buffer, names: readonly string[]): Buffer {
  let embedded = body;
  for (const name of names) {
    const range = memberIn(embedded, { from: 0, to: embedded.length }, name);
    if (!range) continue;
    const text = embedded.toString('utf8', range.from, range.to);
    const shown = embeddedJson(text);
    if (shown === text) continue;
    embedded = Buffer.concat([embedded.subarray(0, range.from), Buffer.from(shown), embedded.subarray(range.to)]);
  }
  return embedded;
}
