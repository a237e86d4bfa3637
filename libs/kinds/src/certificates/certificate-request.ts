import { type AlternativeNames, alternativeNameBytes, NO_NAMES, readAlternativeNames } from './alternative-names.js';
import {
  BOOLEAN,
  type DerElement,
  DerError,
  derContent,
  derElements,
  INTEGER,
  identifierText,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  SEQUENCE,
} from './der.js';
import { SET } from './der-writer.js';
import { commonNameOf, type DistinguishedName, nameBytes, organizationsOf, parseName } from './distinguished-name.js';
import { pemBlocks } from './pem.js';

/** A certificate request (PKCS #10): the subject of the certificate, and its key. */
export interface CertificateRequest extends AlternativeNames {
  /** The subject of the certificate. */
  readonly subject: DistinguishedName;
  /** The last of the subject; empty for none. */
  readonly commonName: string;
  /** The attributes of the subject, in order. */
  readonly organizations: readonly string[];
  /** DER (SubjectPublicKeyInfo). */
  readonly publicKey: Buffer;
  /** The part of the request that is signed, in DER. */
  readonly signed: Buffer;
  /** How, DER. */
  readonly algorithm: Buffer;
  /** The bit string of the signature, DER. */
  readonly signature: Buffer;
}

const BLOCK_TYPE = 'CERTIFICATE REQUEST';
const EXTENSIONS_ASKED_FOR = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';
const ATTRIBUTES = 0xa0;
/** Attributes and extensions that a request may have. */
const MOST_PARTS = 100;

/** Parses a certificate request in PEM, without a check of its signature. @throws DerError */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== BLOCK_TYPE) throw new DerError(`PEM block type must be ${BLOCK_TYPE}`);
  const [signed, algorithm, signature] = derElements(derContent(block.bytes, SEQUENCE), 3).map(({ whole }) => whole);
  if (!signed || !algorithm || !signature) throw new DerError('asn1: syntax error: sequence truncated');
  const [version, name, key, attributes] = derElements(derContent(signed, SEQUENCE), 4);
  if (version?.tag !== INTEGER || !name || key?.tag !== SEQUENCE) throw mismatch();
  const subject = parseName(name.whole);
  const asked = attributes?.tag === ATTRIBUTES ? alternativeNamesIn(attributes.content) : NO_NAMES;
  return {
    subject,
    commonName: commonNameOf(subject),
    organizations: organizationsOf(subject),
    ...asked,
    publicKey: key.whole,
    signed,
    algorithm,
    signature,
  };
}

/** The subject and the further names of a request as DER, written anew; no further names are undefined. */
export const writtenNames = (request: CertificateRequest) => ({
  subject: nameBytes(request.subject),
  alternativeNames: alternativeNameBytes(request),
});

const mismatch = () => new DerError("asn1: structure error: tags don't match");

/** Each attribute is a sequence of what it is and a set of values. */
function alternativeNamesIn(attributes: Buffer): AlternativeNames {
  for (const { tag, content } of bounded(attributes)) {
    const [type, values] = tag === SEQUENCE ? derElements(content, 2) : [];
    if (type?.tag !== OBJECT_IDENTIFIER || values?.tag !== SET) throw mismatch();
    if (identifierText(type.content) !== EXTENSIONS_ASKED_FOR) continue;
    const [extensions] = derElements(values.content, 1);
    return extensions ? alternativeNamesOf(extensions) : NO_NAMES;
  }
  return NO_NAMES;
}

function alternativeNamesOf({ whole }: DerElement): AlternativeNames {
  const found = bounded(derContent(whole, SEQUENCE)).map(readExtension);
  if (new Set(found.map(({ type }) => type)).size < found.length)
    throw new DerError('x509: certificate request contains duplicate requested extensions');
  const names = found.find(({ type }) => type === ALTERNATIVE_NAMES);
  return names ? readAlternativeNames(names.value) : NO_NAMES;
}

/** Whether it is critical may stand between what it is and its value. */
function readExtension({ tag, content }: DerElement): { type: string; value: Buffer } {
  const [type, ...rest] = tag === SEQUENCE ? derElements(content, 3) : [];
  const value = rest[0]?.tag === BOOLEAN ? rest[1] : rest[0];
  if (type?.tag !== OBJECT_IDENTIFIER || value?.tag !== OCTET_STRING) throw mismatch();
  return { type: identifierText(type.content), value: value.content };
}

function bounded(content: Buffer): DerElement[] {
  const parts = derElements(content, MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) throw new DerError('x509: a certificate request has too many attributes');
  return parts;
}
