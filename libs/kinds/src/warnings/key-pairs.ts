import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from '../certificates/pem.js';

const CERTIFICATE = 'CERTIFICATE';
const PRIVATE_KEY = 'PRIVATE KEY';

class Wrong extends Error {}

/**
 * Returns why a certificate and a key, both in PEM, do not match; undefined if they do. Errors within a block are less
 * detailed than those of the reference.
 */
export function keyPairFault(certificate: string, key: string): string | undefined {
  try {
    const open = certificateOf(certificate);
    const secret = keyOf(key);
    if (open.asymmetricKeyType !== secret.asymmetricKeyType)
      return 'tls: private key type does not match public key type';
    const same = open.equals(createPublicKey(secret));
    return same ? undefined : 'tls: private key does not match public key';
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
}

const typesOf = (blocks: readonly PemBlock[]) => `[${blocks.map(({ type }) => type).join(' ')}]`;

function certificateOf(text: string): KeyObject {
  const blocks = [...pemBlocks(text)];
  const found = blocks.find(({ type }) => type === CERTIFICATE);
  if (found) return parsed(() => new X509Certificate(found.bytes).publicKey, 'x509: malformed certificate');
  const [first] = blocks;
  if (!first) throw new Wrong('tls: failed to find any PEM data in certificate input');
  if (blocks.length === 1 && first.type.endsWith(PRIVATE_KEY)) {
    const switched = 'but did find a private key; PEM inputs may have been switched';
    throw new Wrong(`tls: failed to find certificate PEM data in certificate input, ${switched}`);
  }
  const skipped = 'in certificate input after skipping PEM blocks of the following types';
  throw new Wrong(`tls: failed to find "${CERTIFICATE}" PEM block ${skipped}: ${typesOf(blocks)}`);
}

function keyOf(text: string): KeyObject {
  const blocks = [...pemBlocks(text)];
  const found = blocks.find(({ type }) => type === PRIVATE_KEY || type.endsWith(` ${PRIVATE_KEY}`));
  if (found) return parsed(() => readKey(found), 'tls: failed to parse private key');
  const [first] = blocks;
  if (!first) throw new Wrong('tls: failed to find any PEM data in key input');
  if (blocks.length === 1 && first.type === CERTIFICATE) {
    throw new Wrong('tls: found a certificate rather than a key in the PEM for the private key');
  }
  const skipped = 'in key input after skipping PEM blocks of the following types';
  throw new Wrong(`tls: failed to find PEM block with type ending in "${PRIVATE_KEY}" ${skipped}: ${typesOf(blocks)}`);
}

const FORMS: Readonly<Record<string, 'pkcs1' | 'sec1'>> = { 'RSA PRIVATE KEY': 'pkcs1', 'EC PRIVATE KEY': 'sec1' };

const readKey = ({ type, bytes }: PemBlock): KeyObject =>
  createPrivateKey({ key: bytes, format: 'der', type: FORMS[type] ?? 'pkcs8' });

function parsed<T>(parse: () => T, otherwise: string): T {
  try {
    return parse();
  } catch {
    throw new Wrong(otherwise);
  }
}
