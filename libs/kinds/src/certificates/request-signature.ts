import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  BIT_STRING,
  type DerElement,
  DerError,
  derContent,
  derElements,
  identifierText,
  OBJECT_IDENTIFIER,
  SEQUENCE,
} from './der.js';
import { pemBlocks } from './pem.js';

/** How a request is signed, by the identifier of the algorithm; `null` where the algorithm has no choice of a hash. */
const HASHES: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.10': 'sha256',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};
const PSS = '1.2.840.113549.1.1.10';
const BLOCK_TYPE = 'CERTIFICATE REQUEST';
/** Identifiers of the hashes that a PSS signature may name among its parameters. */
const PSS_HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/**
 * What is wrong with a certificate request (PKCS #10) in PEM; undefined when it is whole and signed with the key that it
 * names.
 */
export function requestError(pem: string): string | undefined {
  const [block] = pemBlocks(pem);
  if (block?.type !== BLOCK_TYPE) return `PEM block type must be ${BLOCK_TYPE}`;
  try {
    return signatureError(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    return 'x509: failed to parse the certificate request';
  }
}

function signatureError(bytes: Buffer): string | undefined {
  const [asked, algorithm, signature] = derElements(derContent(bytes, SEQUENCE), 3).map(({ whole }) => whole);
  if (!asked || !algorithm || !signature) throw new DerError('asn1: syntax error: sequence truncated');
  // Version, subject, key, and attributes, which may be missing.
  const key = derElements(derContent(asked, SEQUENCE), 3)[2];
  if (key?.tag !== SEQUENCE) throw new DerError("asn1: structure error: tags don't match");
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  // The first byte of a bit string counts the bits that its last one lacks.
  const bits = derContent(signature, BIT_STRING);
  if (bits[0] !== 0) throw new DerError('asn1: syntax error: invalid padding bits in BIT STRING');
  const signed = bits.subarray(1);
  const [identifier, parameters] = derElements(derContent(algorithm, SEQUENCE), 2);
  const name = identifier?.tag === OBJECT_IDENTIFIER ? identifierText(identifier.content) : '';
  const hash = name === PSS ? pssHash(parameters) : HASHES[name];
  if (hash === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  return verify(hash, asked, optionsOf(publicKey, name), signed)
    ? undefined
    : 'x509: certificate request signature is invalid';
}

const optionsOf = (key: KeyObject, name: string) =>
  name === PSS ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : key;

/** The first parameter names the hash. */
function pssHash(parameters: DerElement | undefined): string | undefined {
  const [first] = parameters ? derElements(parameters.content, 1) : [];
  const [algorithm] = first ? derElements(first.content, 1) : [];
  const [identifier] = algorithm ? derElements(algorithm.content, 1) : [];
  return identifier ? PSS_HASHES[identifierText(identifier.content)] : undefined;
}
