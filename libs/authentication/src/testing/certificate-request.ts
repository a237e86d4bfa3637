import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { CertificateSubject } from '../certificates.js';

/** Algorithms of keys, by what they are usually called. */
const KEYS = {
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
} as const;

/** What a request of a test asks for beside its subject. */
export interface AskedFor {
  /** Default: `ec`. */
  readonly keys?: keyof typeof KEYS;
  readonly names?: readonly { readonly type: 'dns' | 'ip' | 'email' | 'url'; readonly value: string }[];
}

/** A certificate request and the key that it was made with, PEM; made by a library that servers do not read requests with. */
export async function makeCertificateRequest(
  { commonName, organizations = [] }: CertificateSubject,
  { keys: kind = 'ec', names = [] }: AskedFor = {},
): Promise<{ request: string; key: string }> {
  const algorithm = KEYS[kind];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 && { extensions: [new x509.SubjectAlternativeNameExtension([...names])] }),
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { request: `${request.toString('pem')}\n`, key };
}
