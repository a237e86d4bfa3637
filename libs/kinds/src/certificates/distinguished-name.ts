import { DerError, derContent, derElements, identifierText, OBJECT_IDENTIFIER, SEQUENCE } from './der.js';
import { derElement, derSequence, PRINTABLE_STRING, SET, UTF8_STRING } from './der-writer.js';

/** An attribute of a name: its type, and its text. */
interface NameAttribute {
  /** The content of its object identifier, DER. */
  readonly type: Buffer;
  readonly text: string;
}

/** A name in its order: relative names, each of one attribute or, rarely, several. */
export type DistinguishedName = readonly (readonly NameAttribute[])[];

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
/** Most parts of a name; no real name has more. */
const MOST_PARTS = 100;
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1 = (bytes: Buffer): string => bytes.toString('latin1');

/** How texts are written, by tag. */
const TEXTS: ReadonlyMap<number, (bytes: Buffer) => string> = new Map([
  [UTF8_STRING, (bytes: Buffer) => utf8.decode(bytes)],
  [PRINTABLE_STRING, latin1],
  [0x12, latin1], // NumericString
  [0x14, latin1], // T61String
  [0x16, latin1], // IA5String
  [
    0x1e,
    (bytes: Buffer) =>
      Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le'),
  ], // BMPString
]);

/** Parses the content of a name. @throws DerError for a malformed one, or parts that are no texts */
function readName(content: Buffer): DistinguishedName {
  return bounded(content).map(({ tag, content: relative }) => {
    if (tag !== SET) throw new DerError("asn1: structure error: tags don't match");
    return bounded(relative).map(({ tag: inner, content: attribute }) => readAttribute(inner, attribute));
  });
}

function bounded(content: Buffer) {
  const parts = derElements(content, MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) throw new DerError('x509: a name has too many parts');
  return parts;
}

function readAttribute(tag: number, content: Buffer): NameAttribute {
  const [type, value] = tag === SEQUENCE ? derElements(content, 2) : [];
  if (type?.tag !== OBJECT_IDENTIFIER || !value) throw new DerError("asn1: structure error: tags don't match");
  const text = TEXTS.get(value.tag);
  if (!text) throw new DerError('x509: a name has an attribute that is no text');
  try {
    return { type: type.content, text: text(value.content) };
  } catch {
    throw new DerError('asn1: syntax error: invalid UTF-8 string');
  }
}

/** The texts of attributes of a name, in order. */
const textsOf = (name: DistinguishedName, type: string): string[] =>
  name.flatMap((relative) => relative.filter((each) => identifierText(each.type) === type).map(({ text }) => text));

/** The last common name, which is the one that counts; empty for none. */
export const commonNameOf = (name: DistinguishedName): string => textsOf(name, COMMON_NAME).at(-1) ?? '';

/** The organizations, in order. */
export const organizationsOf = (name: DistinguishedName): string[] => textsOf(name, ORGANIZATION);

/**
 * The DER of a name. Texts are written anew: who reads them cannot find another text in them than was found here. Of
 * several common names the last stays.
 */
export function nameBytes(name: DistinguishedName): Buffer {
  const commonNames = name.flat().filter((each) => identifierText(each.type) === COMMON_NAME);
  const dropped = new Set(commonNames.slice(0, -1));
  const kept = name.map((relative) => relative.filter((each) => !dropped.has(each)));
  return derSequence(
    ...kept
      .filter((relative) => relative.length > 0)
      .map((relative) => derElement(SET, ...relative.map(attributeBytes).sort(Buffer.compare))),
  );
}

const attributeBytes = ({ type, text }: NameAttribute): Buffer =>
  derSequence(
    derElement(OBJECT_IDENTIFIER, type),
    derElement(PRINTABLE.test(text) ? PRINTABLE_STRING : UTF8_STRING, Buffer.from(text)),
  );

/** Checks that bytes are one name, and reads it. @throws DerError */
export const parseName = (whole: Buffer): DistinguishedName => readName(derContent(whole, SEQUENCE));
