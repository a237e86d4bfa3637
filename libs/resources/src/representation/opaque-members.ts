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

/** Gives such members that came in no text of their own (in YAML, or made by a patch) the text that the reference makes of them. */
export function makeTexts(object: Members, names: readonly string[]): void {
  for (const name of names) {
    const value = object[name];
    if (textOf(value) === undefined) withText(value, goJson(value as JsonValue));
  }
}

/** A value that says the same as the one that is there keeps the text of that: clients who write back what they read change nothing. */
export function keepTexts(object: Members, old: Members, names: readonly string[]): void {
  for (const name of names) {
    if (textOf(old[name]) !== undefined && isDeepStrictEqual(object[name], old[name])) object[name] = old[name];
  }
}

/** An object as JSON, with the texts of its members where they have one. It is not empty without them. */
export function stringifyMembers(object: Members): string {
  const opaque = Object.keys(object).filter((name) => textOf(object[name]) !== undefined);
  if (opaque.length === 0) return stringifyJson(object);
  const others = { ...object };
  for (const name of opaque) delete others[name];
  const texts = opaque.map((name) => `,${JSON.stringify(name)}:${opaqueJson(object[name])}`);
  return `${stringifyJson(others).slice(0, -1)}${texts.join('')}}`;
}

/** A stored body as it stands in an answer: such texts are embedded as the reference embeds them. */
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
