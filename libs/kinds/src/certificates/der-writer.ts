import { SEQUENCE } from './der.js';

/** Tag of SET. */
export const SET = 0x31;
/** Tag of UTF8String. */
export const UTF8_STRING = 0x0c;
/** Tag of PrintableString. */
export const PRINTABLE_STRING = 0x13;

/** An element of DER of these parts. */
export function derElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** A sequence of DER. */
export const derSequence = (...parts: readonly Uint8Array[]): Buffer => derElement(SEQUENCE, ...parts);

/** Below 128 the length itself, else how many bytes it has and those. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}
