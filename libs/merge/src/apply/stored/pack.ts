import { type EntryText, entryTexts } from './entry-texts.js';
import { APPLY, FORM, timeText, WITH_MANAGER, WITH_SUBRESOURCE, WITH_TIME } from './form.js';
import { keptOf } from './kept-fields.js';
import { writeNumber } from './pack-fields.js';
import { Otherwise, Scanner } from './scanner.js';

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/**
 * A text of `managedFields` in few bytes.
 * @param text UTF-8
 * @returns undefined for one that the server would write otherwise: it is not packed
 */
export function packOwners(text: Buffer): Buffer | undefined {
  try {
    const entries = entryTexts(text.toString('latin1'));
    return Buffer.concat([Buffer.of(FORM), ...entries.flatMap(packEntry)]);
  } catch (error) {
    if (error instanceof Otherwise) return undefined;
    throw error;
  }
}

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
    at = writeNumber(out, at, secondsOf(scanner.string()));
  }
  scanner.end();
  if (tail !== '') flags |= WITH_SUBRESOURCE;
  out[0] = flags;
  return [out.subarray(0, at), keptOf(fields).packed, packTail(tail)];
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

/** @throws Otherwise */
function secondsOf(text: string): number {
  const seconds = SECONDS.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  if (!(seconds >= 0 && seconds < 2 ** 32) || timeText(seconds) !== text) throw new Otherwise();
  return seconds;
}
