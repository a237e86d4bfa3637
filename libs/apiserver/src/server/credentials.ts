import { readFile } from 'node:fs/promises';
import {
  type Authenticator,
  createAuthenticator,
  ensurePki,
  type Pki,
  TokenFile,
  type TokenVerifier,
} from '@orch/authentication';
import type { Names } from '@orch/machinery';
import type { ServingOptions } from './options.js';

export interface Credentials {
  readonly pki: Pki;
  readonly clientCa: string;
  readonly authenticator: Authenticator;
}

/** Certificates (made where missing) and the ways in which callers may prove who they are. */
export async function loadCredentials(options: ServingOptions, names: Names): Promise<Credentials> {
  const pki = await ensurePki({
    certDir: options.certDir,
    bindAddress: options.bindAddress,
    names,
    extraHosts: options.advertiseHost,
  });
  const clientCa = options.clientCaFile === undefined ? pki.ca.cert : await readFile(options.clientCaFile, 'utf8');
  const tokenVerifiers: TokenVerifier[] = [];
  if (options.tokenAuthFile !== undefined) tokenVerifiers.push(await TokenFile.read(options.tokenAuthFile));
  const authenticator = createAuthenticator({ clientCertificates: true, tokenVerifiers, anonymous: true });
  return { pki, clientCa, authenticator };
}
