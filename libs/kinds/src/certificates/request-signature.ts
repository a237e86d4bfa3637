import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type CertificateRequest, readCertificateRequest } from './certificate-request.js';
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

/** Hashes by the identifier of the signature algorithm; `null` if the algorithm has no choice of a hash. */
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
/** Identifiers of the hashes that a PSS signature may name among its parameters. */
const PSS_HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/**
 * Returns the error of a certificate request (PKCS #10) in PEM; undefined if it is complete and signed with the key
 * that it contains.
 */
export function requestError(pem: string): string | undefined {
  try {
    return signatureError(readCertificateRequest(pem));
  } catch (error) {
    if (error instanceof DerError) return error.message;
    return 'x509: failed to parse the certificate request';
  }
}

/**
 * Returns the error of a request's signature; undefined if it was made with the key in the request.
 * @throws DerError
 */
export function signatureError(request: CertificateRequest): string | undefined {
  const publicKey = keyOf(request);
  // The first byte of a bit string counts the bits that its last one lacks.
  const bits = derContent(request.signature, BIT_STRING);
  if (bits[0] !== 0) throw new DerError('asn1: syntax error: invalid padding bits in BIT STRING');
  const [identifier, parameters] = derElements(derContent(request.algorithm, SEQUENCE), 2);
  const name = identifier?.tag === OBJECT_IDENTIFIER ? identifierText(identifier.content) : '';
  const hash = name === PSS ? pssHash(parameters) : HASHES[name];
  if (hash === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  return verify(hash, request.signed, optionsOf(publicKey, name), bits.subarray(1))
    ? undefined
    : 'x509: certificate request signature is invalid';
}

function keyOf({ publicKey }: CertificateRequest): KeyObject {
  try {
    return createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  } catch {
    throw new DerError('x509: failed to parse the public key of the certificate request');
  }
}

const optionsOf = (key: KeyObject, name: string) =>
  name === PSS ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : key;

/** Returns the hash that the first parameter of PSS names. */
function pssHash(parameters: DerElement | undefined): string | undefined {
  const [first] = parameters ? derElements(parameters.content, 1) : [];
  const [algorithm] = first ? derElements(first.content, 1) : [];
  const [identifier] = algorithm ? derElements(algorithm.content, 1) : [];
  return identifier ? PSS_HASHES[identifierText(identifier.content)] : undefined;
}
