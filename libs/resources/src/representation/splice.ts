import { type Gaps, gapsIn, NO_GAPS, type StructSchema } from '@orch/schema';
import type { ObjectModel } from '../served/object-model.js';
import type { Stored } from '../stored/stored.js';
import { filledBody, OPENING } from '../stored/stored-body.js';
import type { StoredForm } from '../stored/stored-form.js';
import { weakMemo } from '../stored/weak-memo.js';
import type { PieceWriter } from './piece-writer.js';
import type { Surround } from './surround.js';

/** Returns `{"kind":…,"apiVersion":…,`, the text before the metadata of an encoded object. */
export function typePrefix(apiVersion: string, kind: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** The object that a dry run would have created has no version. */
const versionMember = ({ version }: Stored): string => (version === 0n ? '' : `"resourceVersion":"${version}",`);

/**
 * Fields that a body lacks although they are always written, by the struct of its version; cached as long as the body
 * lives.
 */
const gapsOf = weakMemo((struct: StructSchema) => weakMemo((body: Buffer): Gaps => gapsIn(struct, body)));

/** An endpoint that serves objects in their stored version. */
interface ServedAsItLies {
  readonly form: StoredForm;
  readonly model: Pick<ObjectModel, 'struct'>;
}

const NOTHING: Surround = () => ['', ''];

/** A stored body with the members to add in an answer. */
interface Shown {
  readonly body: Buffer;
  readonly gaps: Gaps;
}

function shown(stored: Stored, { form, model: { struct } }: ServedAsItLies): Shown {
  const body = filledBody(stored, form);
  return { body, gaps: struct ? gapsOf(struct)(body) : NO_GAPS };
}

/** Maximum bytes of an object's JSON behind its prefix and version. */
export function shownLength(stored: Stored, endpoint: ServedAsItLies): number {
  const { body, gaps } = shown(stored, endpoint);
  return body.length + gaps.length;
}

/**
 * Builds an object's JSON by concatenation, with no parse and no stringify except for younger defaults. Members that
 * release 1.27 always writes are included; missing ones are located once for each body.
 * @param endpoint serves the object in its stored version
 * @param prefix `{` for items of a list, {@link typePrefix} elsewhere, behind further text; Latin-1
 * @param suffix text behind it; Latin-1
 * @param around text around all of it
 */
export function spliceJson(
  prefix: string,
  stored: Stored,
  endpoint: ServedAsItLies,
  suffix = '',
  around: Surround = NOTHING,
): Buffer {
  const { body, gaps } = shown(stored, endpoint);
  const opening = `${prefix}"metadata":{${versionMember(stored)}`;
  const length = opening.length + body.length - OPENING.length + gaps.length + suffix.length;
  const [before, behind] = around(length);
  const out = Buffer.allocUnsafe(before.length + length + behind.length);
  let end = out.write(before + opening, 0, 'latin1');
  let from = OPENING.length;
  for (let at = 0; at < gaps.places.length; at++) {
    const place = gaps.places[at] as number;
    end += body.copy(out, end, from, place);
    end += out.write(gaps.texts[at] as string, end, 'latin1');
    from = place;
  }
  end += body.copy(out, end, from);
  out.write(suffix + behind, end, 'latin1');
  return out;
}

/** Number of gaps above which an object is copied: its pieces would be short. */
const MOST_GAPS = 8;

/**
 * {@link spliceJson} in pieces, of which the long ones are views of the body; undefined if there would be many pieces.
 */
export function splicePieces(
  prefix: string,
  stored: Stored,
  endpoint: ServedAsItLies,
  suffix: string,
  around: Surround = NOTHING,
): Buffer[] | undefined {
  const { body, gaps } = shown(stored, endpoint);
  if (gaps.places.length > MOST_GAPS) return undefined;
  const opening = `${prefix}"metadata":{${versionMember(stored)}`;
  const [before, behind] = around(opening.length + body.length - OPENING.length + gaps.length + suffix.length);
  const pieces: Buffer[] = [Buffer.from(before + opening, 'latin1')];
  let from = OPENING.length;
  for (let at = 0; at < gaps.places.length; at++) {
    const place = gaps.places[at] as number;
    pieces.push(body.subarray(from, place), Buffer.from(gaps.texts[at] as string, 'latin1'));
    from = place;
  }
  pieces.push(body.subarray(from), Buffer.from(suffix + behind, 'latin1'));
  return pieces;
}

/**
 * {@link spliceJson} for an item of a list, written in place. @param prefix text before the item, with the separator
 * from the previous one; Latin-1
 */
export function spliceJsonInto(out: PieceWriter, prefix: string, stored: Stored, endpoint: ServedAsItLies): void {
  const { body, gaps } = shown(stored, endpoint);
  out.ascii(`${prefix}"metadata":{${versionMember(stored)}`);
  let from = OPENING.length;
  for (let at = 0; at < gaps.places.length; at++) {
    const place = gaps.places[at] as number;
    out.bytes(body, from, place);
    out.ascii(gaps.texts[at] as string);
    from = place;
  }
  out.bytes(body, from);
}
