import { DerError, derContent, derElements, SEQUENCE } from './der.js';
import { derElement, derSequence } from './der-writer.js';

/** Further names of a certificate's holder. */
export interface AlternativeNames {
  /** DNS names. */
  readonly dnsNames: readonly string[];
  /** Email addresses (RFC 822 names). */
  readonly emailAddresses: readonly string[];
  /** URIs. */
  readonly uris: readonly string[];
  /** IP addresses of four or sixteen bytes, in network order. */
  readonly ipAddresses: readonly Buffer[];
}

/** No alternative names. */
export const NO_NAMES: AlternativeNames = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };

/** Names that a request may have: more are no host's. */
const MOST_NAMES = 1000;
const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;
const IP_LENGTHS = [4, 16];
/** The characters that such a text may have; control characters are left out. */
const PLAIN = /^[\x20-\x7e]*$/;
const KINDS: ReadonlyMap<number, string> = new Map([
  [EMAIL, 'rfc822Name'],
  [DNS, 'dNSName'],
  [URI, 'uniformResourceIdentifier'],
]);

/** Reads the value of the extension; names of other kinds are passed over. @throws DerError */
export function readAlternativeNames(value: Buffer): AlternativeNames {
  const parts = derElements(derContent(value, SEQUENCE), MOST_NAMES + 1);
  if (parts.length > MOST_NAMES) throw new DerError('x509: too many subjectAltNames');
  const texts = (wanted: number) =>
    parts.filter(({ tag }) => tag === wanted).map(({ tag, content }) => plainText(tag, content));
  const ipAddresses = parts.filter(({ tag }) => tag === IP).map(({ content }) => content);
  for (const { length } of ipAddresses) {
    if (!IP_LENGTHS.includes(length)) throw new DerError(`x509: cannot parse IP address of length ${length}`);
  }
  return { dnsNames: texts(DNS), emailAddresses: texts(EMAIL), uris: texts(URI), ipAddresses };
}

function plainText(tag: number, content: Buffer): string {
  const text = content.toString('latin1');
  if (!PLAIN.test(text)) throw new DerError(`x509: SAN ${KINDS.get(tag)} is malformed`);
  return text;
}

/** The DER of the extension's value; undefined for no names. */
export function alternativeNameBytes(names: AlternativeNames): Buffer | undefined {
  const texts = (tag: number, values: readonly string[]) =>
    values.map((value) => derElement(tag, Buffer.from(value, 'latin1')));
  const parts = [
    ...texts(DNS, names.dnsNames),
    ...texts(EMAIL, names.emailAddresses),
    ...names.ipAddresses.map((address) => derElement(IP, address)),
    ...texts(URI, names.uris),
  ];
  return parts.length === 0 ? undefined : derSequence(...parts);
}
