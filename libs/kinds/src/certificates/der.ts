/** Thrown for bytes that are no DER, or not of the expected kind. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

/** An element of DER: its tag, its content, and itself as a whole. */
export interface DerElement {
  /** Tag of the element. */
  readonly tag: number;
  /** Content without tag and length. */
  readonly content: Buffer;
  /** The whole element, with tag and length. */
  readonly whole: Buffer;
}

/** Tag of SEQUENCE. */
export const SEQUENCE = 0x30;
/** Tag of OBJECT IDENTIFIER. */
export const OBJECT_IDENTIFIER = 0x06;
/** Tag of BIT STRING. */
export const BIT_STRING = 0x03;
/** Tag of BOOLEAN. */
export const BOOLEAN = 0x01;
/** Tag of INTEGER. */
export const INTEGER = 0x02;
/** Tag of OCTET STRING. */
export const OCTET_STRING = 0x04;
const LONG_FORM = 0x80;
const MAX_LENGTH_BYTES = 4;

/**
 * The elements that bytes begin with, at most so many: there may be millions.
 * @throws DerError when they are not whole
 */
export function derElements(bytes: Buffer, most: number): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length && elements.length < most; ) {
    const element = readElement(bytes.subarray(at));
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** The content of the one element that bytes are, which must have this tag. @throws DerError */
export function derContent(bytes: Buffer, tag: number): Buffer {
  const element = readElement(bytes);
  if (element.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  if (element.whole.length < bytes.length) throw new DerError('asn1: syntax error: trailing data');
  return element.content;
}

function readElement(bytes: Buffer): DerElement {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('asn1: syntax error: data truncated');
  const count = first < LONG_FORM ? 0 : first - LONG_FORM;
  if (count > MAX_LENGTH_BYTES || first === LONG_FORM) throw new DerError('asn1: structure error: length too large');
  if (bytes.length < 2 + count) throw new DerError('asn1: syntax error: truncated tag or length');
  const length = count === 0 ? first : bytes.readUIntBE(2, count);
  const start = 2 + count;
  if (bytes.length < start + length) throw new DerError('asn1: syntax error: data truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

/** The text of an object identifier (`1.2.840.113549.1.1.11`) from its content. */
export function identifierText(content: Buffer): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      parts.push(value);
      value = 0;
    }
  }
  const [first = 0, ...rest] = parts;
  const head = Math.min(Math.floor(first / 40), 2);
  return [head, first - head * 40, ...rest].join('.');
}
