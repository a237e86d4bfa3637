import type { JsonObject } from '@orch/machinery';
import { frozen } from '../../json-values.js';
import { knownText } from '../paths/fields-v1.js';
import { atOnce, STEP, type Steps } from '../steps.js';
import { ownBytes } from './own-bytes.js';
import { packInSteps } from './pack-fields.js';
import { Otherwise } from './scanner.js';

/** Bytes of a text that may be kept. */
const LONGEST = 32 << 10;
/** Limit of the bytes of all kept texts, with everything derived from them. */
const MOST = 32 << 20;
/** Estimated bytes for keeping a text beside its own: the buffers, and their places. */
const OVERHEAD = 700;
/** Estimated bytes of a member in the value of a text. */
const MEMBER_BYTES = 150;
/** How many times the bytes of a text are held: as they are, packed, and as the names of members. */
const FORMS = 3;
/** Texts that are kept under one checksum. */
const ALIKE = 8;
/** Bytes that a checksum is computed from. */
const SAMPLES = 64;

/**
 * A text of `fieldsV1` with everything derived from it. Objects come in few shapes, and one that is written again and
 * again has the same fields each time: recently used ones are cached.
 */
export class KeptFields {
  #packed: Buffer | undefined;
  #value: JsonObject | undefined;
  #weight: number | undefined;

  /** @param bytes UTF-8; never modified */
  constructor(readonly bytes: Buffer) {}

  /** Estimated bytes with everything derived from it. */
  get weight(): number {
    this.#weight ??= OVERHEAD + FORMS * this.bytes.length + MEMBER_BYTES * membersOf(this.bytes);
    return this.#weight;
  }

  /** @throws Otherwise for what is no text of fields */
  get packed(): Buffer {
    return this.#packed ?? atOnce(this.#pack());
  }

  *#pack(): Steps<Buffer> {
    const packed = ownBytes(yield* packInSteps(this.bytes.toString('latin1')));
    this.#packed = packed;
    return packed;
  }

  /** Packs the text ahead of its use; an error is thrown again on use. */
  *packAhead(): Steps<void> {
    try {
      if (this.#packed === undefined) yield* this.#pack();
    } catch (error) {
      if (!(error instanceof Otherwise)) throw error;
    }
  }

  /** Returns the value of the text: the same instance each time, so it is frozen. @param parse reads JSON */
  value(parse: (json: Buffer) => JsonObject): JsonObject {
    if (this.#value === undefined) {
      this.#value = frozen(parse(this.bytes));
      byValue.set(this.#value, this);
    }
    return this.#value;
  }
}

/** Texts by values that were read from them, or drawn up by the server. */
const byValue = new WeakMap<JsonObject, KeptFields>();

/** Returns the cached data of a `fieldsV1` that was read or drawn up by this server; undefined for any other. */
export function keptBy(fieldsV1: JsonObject): KeptFields | undefined {
  const known = byValue.get(fieldsV1);
  if (known) return known;
  const text = knownText(fieldsV1);
  if (text === undefined) return undefined;
  const kept = keptOf(Buffer.from(text));
  byValue.set(fieldsV1, kept);
  return kept;
}

/** Computes the stored form of a `fieldsV1` that the server has drawn up, in steps: very many fields take long. */
export function* keepInSteps(fieldsV1: JsonObject): Steps<void> {
  const kept = keptBy(fieldsV1);
  yield STEP;
  if (kept) yield* kept.packAhead();
}

const kept = new Map<number, KeptFields[]>();
let held = 0;

/** Estimated bytes of the kept texts. */
export const heldByKept = (): number => held;

/** Returns the cached data of a text. */
export function keptOf(bytes: Buffer): KeptFields {
  const sum = sumOf(bytes);
  const alike = kept.get(sum);
  const known = alike?.find((one) => one.bytes.equals(bytes));
  if (known) return known;
  const one = new KeptFields(ownBytes(bytes));
  if (bytes.length <= LONGEST) keep(sum, [one, ...(alike ?? []).slice(0, ALIKE - 1)]);
  return one;
}

/** The most recently written is the last to be dropped. */
function keep(sum: number, alike: KeptFields[]): void {
  drop(sum);
  kept.set(sum, alike);
  held += weightOf(alike);
  for (const oldest of kept.keys()) {
    if (held <= MOST) break;
    drop(oldest);
  }
}

function drop(sum: number): void {
  held -= weightOf(kept.get(sum) ?? []);
  kept.delete(sum);
}

const weightOf = (texts: readonly KeptFields[]): number => texts.reduce((all, { weight }) => all + weight, 0);

const OPENING = 0x7b;

/** Counts members of a text of fields: each opens a level. */
function membersOf(bytes: Buffer): number {
  let members = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === OPENING) members++;
  return members;
}

/** FNV-1a of the length and of sampled bytes. */
function sumOf(bytes: Buffer): number {
  const step = Math.floor(bytes.length / SAMPLES) + 1;
  let sum = 0x811c9dc5 ^ bytes.length;
  for (let i = 0; i < bytes.length; i += step) sum = Math.imul(sum ^ (bytes[i] as number), 0x01000193);
  return sum;
}
