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
export async function loadCredentials(
  options: ServingOptions,
  names: Names,
  certificateAccepted: (left: number) => void = () => undefined,
): Promise<Credentials> {
  const pki = await ensurePki({
    certDir: options.certDir,
    bindAddress: options.bindAddress,
    names,
    extraHosts: options.advertiseHost,
  });
  const further = options.clientCaFile === undefined ? '' : await readFile(options.clientCaFile, 'utf8');
  // The own authorities are always among them: the administrator's kubeconfig and the other servers come with theirs.
  const clientCa = [pki.ca.cert, pki.proxyCa.cert, further].join('\n');
  const tokenVerifiers: TokenVerifier[] = [];
  if (options.tokenAuthFile !== undefined) tokenVerifiers.push(await TokenFile.read(options.tokenAuthFile));
  const authenticator = createAuthenticator({
    clientCertificates: true,
    frontProxy: { authority: pki.proxyCa.fingerprint },
    tokenVerifiers,
    anonymous: options.anonymousAuth,
    certificateAccepted,
  });
  return { pki, clientCa, authenticator };
}
