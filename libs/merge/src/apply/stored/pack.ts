import { type EntryText, entryTexts } from './entry-texts.js';
import { APPLY, FORM, WITH_MANAGER, WITH_SUBRESOURCE, WITH_TIME } from './form.js';
import { writeNumber } from './pack-fields.js';
import { Otherwise, Scanner } from './scanner.js';
import { secondsOf } from './times.js';

/**
 * Packs a text of `managedFields`.
 * @param text UTF-8
 * @returns undefined for one that the server would write otherwise: it is not packed
 */
export const packOwners = (text: Buffer): Buffer | undefined => unlessOtherwise(() => packed(entryTexts(text)));

/** Same as {@link packOwners}, of a text in its parts. */
export const packEntries = (entries: readonly EntryText[]): Buffer | undefined =>
  unlessOtherwise(() => packed(entries));

function unlessOtherwise(pack: () => Buffer): Buffer | undefined {
  try {
    return pack();
  } catch (error) {
    if (error instanceof Otherwise) return undefined;
    throw error;
  }
}

/** @throws Otherwise */
const packed = (entries: readonly EntryText[]): Buffer =>
  Buffer.concat([Buffer.of(FORM), ...entries.flatMap(packEntry)]);

/** @throws Otherwise */
function packEntry({ head, fields, tail }: EntryText): Buffer[] {
  const scanner = new Scanner(head);
  const out = Buffer.allocUnsafe(head.length + 8);
  let [flags, at] = [0, 1];
  const literal = (text: string) => {
    at = writeNumber(out, at, text.length);
    at += out.write(text, at, 'latin1');
  };
  if (scanner.skip('"manager":')) {
    flags |= WITH_MANAGER;
    literal(scanner.string());
    scanner.expect(',');
  }
  scanner.expect('"operation":');
  const operation = scanner.string();
  if (operation === 'Apply') flags |= APPLY;
  else if (operation !== 'Update') throw new Otherwise();
  scanner.expect(',"apiVersion":');
  literal(scanner.string());
  if (scanner.skip(',"time":')) {
    flags |= WITH_TIME;
    const seconds = secondsOf(scanner.string());
    if (seconds === undefined) throw new Otherwise();
    at = writeNumber(out, at, seconds);
  }
  scanner.end();
  if (tail !== '') flags |= WITH_SUBRESOURCE;
  out[0] = flags;
  return [out.subarray(0, at), fields.packed, packTail(tail)];
}

function packTail(tail: string): Buffer {
  if (tail === '') return Buffer.of();
  const scanner = new Scanner(tail);
  scanner.expect(',"subresource":');
  const text = scanner.string();
  scanner.end();
  const out = Buffer.allocUnsafe(text.length + 8);
  const at = writeNumber(out, 0, text.length);
  return out.subarray(0, at + out.write(text, at, 'latin1'));
}
