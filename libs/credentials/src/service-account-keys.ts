import { readFile } from 'node:fs/promises';
import {
  discoveryProblem,
  EXTENDED_SECONDS,
  ensureTokenKey,
  INJECTED_SECONDS,
  type SigningKey,
  signingKeyOf,
  TokenIssuer,
  type VerificationKey,
  verificationKeysOf,
} from '@orch/authentication';
import type { Names } from '@orch/machinery';
import type { CredentialOptions } from './credential-options.js';

/** Issuers, audiences and keys of the tokens of service accounts. */
export interface ServiceAccountKeys {
  /** Issuers whose tokens are accepted; the first is the installation's own. */
  readonly issuers: readonly [string, ...string[]];
  /** Audiences that tokens name for the API; never empty. */
  readonly audiences: readonly string[];
  /** None twice. */
  readonly verification: readonly VerificationKey[];
  /** Undefined where no tokens are issued. */
  readonly issuer: TokenIssuer | undefined;
  /** Warnings about settings that are valid but probably not intended. */
  readonly warnings: readonly string[];
}

const LEAST_MAX_MS = 3_600_000;
const MOST_MAX_MS = 2 ** 32 * 1000;

/**
 * Reads the keys that the options name, or makes one in `--cert-dir` where they name none. Read once; other keys take a
 * restart. Throws where a file cannot be used, and for a longest time that makes no sense.
 */
export async function readServiceAccountKeys(options: CredentialOptions, names: Names): Promise<ServiceAccountKeys> {
  const [first = `https://${names.apiServiceName}.default.svc.cluster.local`, ...others] = options.serviceAccountIssuer;
  const audiences = options.apiAudiences.length > 0 ? options.apiAudiences : [first];
  const signing = await signingKey(options);
  const keys = [...(signing ? [signing.verification] : []), ...(await keysOf(options))];
  const verification = keys.filter(({ id }, at) => keys.findIndex((other) => other.id === id) === at);
  const maxSeconds = maxSecondsOf(options);
  const extend = options.serviceAccountExtendTokenExpiration;
  return {
    issuers: [first, ...others],
    audiences,
    verification,
    issuer: signing && new TokenIssuer({ names, key: signing, issuer: first, audiences, maxSeconds, extend }),
    warnings: [...discoveryWarning(first), ...(signing && extend ? extensionWarnings(maxSeconds) : [])],
  };
}

function discoveryWarning(issuer: string): string[] {
  const problem = discoveryProblem(issuer);
  return problem === undefined ? [] : [`--service-account-issuer: ${problem}: nobody is told of its keys`];
}

/** Returns the warnings of the API server of Kubernetes about extended tokens. */
function extensionWarnings(maxSeconds = Number.POSITIVE_INFINITY): string[] {
  const extended = 'service-account-extend-token-expiration is true';
  return [
    ...(maxSeconds < INJECTED_SECONDS
      ? [`${extended}: tokens of pods are extended only if service-account-max-token-expiration is at least 3607s`]
      : []),
    ...(maxSeconds < EXTENDED_SECONDS
      ? [`${extended}: tokens of pods are good for up to a year, whatever service-account-max-token-expiration is`]
      : []),
  ];
}

/**
 * Returns the key that signs tokens. As in the API server of Kubernetes, a key that was given for another purpose signs
 * nothing; the key that we generate may.
 */
async function signingKey(options: CredentialOptions): Promise<SigningKey | undefined> {
  const { serviceAccountSigningKeyFile: file, serviceAccountKeyFile, tlsPrivateKeyFile } = options;
  if (file !== undefined) return within(file, await readFile(file, 'utf8'), signingKeyOf);
  if (serviceAccountKeyFile.length > 0 || tlsPrivateKeyFile !== undefined) return undefined;
  const { key, keyFile } = await ensureTokenKey(options);
  return within(keyFile, key, signingKeyOf);
}

async function keysOf(options: CredentialOptions): Promise<VerificationKey[]> {
  const { serviceAccountKeyFile: files, serviceAccountSigningKeyFile, tlsPrivateKeyFile } = options;
  if (files.length > 0) {
    const found = files.map(async (file) => within(file, await readFile(file, 'utf8'), verificationKeysOf));
    return (await Promise.all(found)).flat();
  }
  if (tlsPrivateKeyFile === undefined || serviceAccountSigningKeyFile !== undefined) return [];
  return readableKeys(await readFile(tlsPrivateKeyFile, 'utf8'));
}

/**
 * Returns the keys of a TLS key file that can verify tokens; none for a type of key that tokens are not signed with, as
 * the file was not named for this purpose.
 */
function readableKeys(pem: string): VerificationKey[] {
  try {
    return verificationKeysOf(pem);
  } catch {
    return [];
  }
}

function maxSecondsOf({ serviceAccountMaxTokenExpiration: max }: CredentialOptions): number | undefined {
  if (max === 0) return undefined;
  if (max < LEAST_MAX_MS || max > MOST_MAX_MS)
    throw new Error('--service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  return Math.floor(max / 1000);
}

/** Runs `read`, and adds the file's name to its error. */
function within<T>(file: string, pem: string, read: (pem: string) => T): T {
  try {
    return read(pem);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
