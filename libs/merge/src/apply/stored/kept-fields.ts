import type { JsonObject } from '@orch/machinery';
import { packFields } from './pack-fields.js';

/** Characters of a text that is kept. */
const LONGEST = 32 << 10;
/** Characters of all texts that are kept. */
const MOST = 4 << 20;
/** Texts that are kept under one sum. */
const ALIKE = 8;
/** Characters of which a sum is made. */
const SAMPLES = 64;

/**
 * A text of `fieldsV1` with what was made of it. Objects come in few shapes, and one that is written again and again has the same
 * fields each time: the lately used are kept.
 */
export class KeptFields {
  #packed: Buffer | undefined;
  /** The text read, frozen as it is shared; whoever reads it first puts it here. */
  read: JsonObject | undefined;

  /** @param text one character a byte */
  constructor(readonly text: string) {}

  /** @throws Otherwise for what is no text of fields */
  get packed(): Buffer {
    this.#packed ??= packFields(this.text);
    return this.#packed;
  }
}

const kept = new Map<number, KeptFields[]>();
let held = 0;

/** What is known of a text. */
export function keptOf(text: string): KeptFields {
  const sum = sumOf(text);
  const alike = kept.get(sum);
  const known = alike?.find((one) => one.text === text);
  if (known) return known;
  if (text.length > LONGEST) return new KeptFields(text);
  // A part of a text would keep the whole of it.
  const one = new KeptFields(Buffer.from(text, 'latin1').toString('latin1'));
  keep(sum, [one, ...(alike ?? []).slice(0, ALIKE - 1)]);
  return one;
}

/** The last to be written is the last to be dropped. */
function keep(sum: number, alike: KeptFields[]): void {
  drop(sum);
  kept.set(sum, alike);
  held += charactersOf(alike);
  for (const oldest of kept.keys()) {
    if (held <= MOST) break;
    drop(oldest);
  }
}

function drop(sum: number): void {
  held -= charactersOf(kept.get(sum) ?? []);
  kept.delete(sum);
}

const charactersOf = (texts: readonly KeptFields[]): number => texts.reduce((all, { text }) => all + text.length, 0);

/** FNV-1a of the length and of characters throughout. */
function sumOf(text: string): number {
  const step = Math.floor(text.length / SAMPLES) + 1;
  let sum = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < text.length; i += step) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum;
}
