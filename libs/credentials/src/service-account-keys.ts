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

/** Who issues and believes tokens of service accounts here, and by which keys. */
export interface ServiceAccountKeys {
  /** Whose tokens are believed; the first is the installation's own. */
  readonly issuers: readonly [string, ...string[]];
  /** What the API is called in tokens; never empty. */
  readonly audiences: readonly string[];
  /** None twice. */
  readonly verification: readonly VerificationKey[];
  /** Undefined where no tokens are issued. */
  readonly issuer: TokenIssuer | undefined;
  /** What is allowed and may not be meant. */
  readonly warnings: readonly string[];
}

const LEAST_MAX_MS = 3_600_000;
const MOST_MAX_MS = 2 ** 32 * 1000;

/**
 * Reads the keys that the options name, or makes one in `--cert-dir` where they name none. Read once; other keys take a restart.
 * Throws where a file cannot be used, and for a longest time that makes no sense.
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

/** As the API server of Kubernetes warns. */
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

/** As the API server of Kubernetes has it, a key that was meant for something else signs nothing; one of our own may. */
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

/** A key of TLS may be of a kind that no token is signed with; nobody has said that it should be. */
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

/** Names the file in what is wrong with it. */
function within<T>(file: string, pem: string, read: (pem: string) => T): T {
  try {
    return read(pem);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
