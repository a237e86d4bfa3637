import { DurationError, parseDuration } from '@orch/machinery';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
  ResourceConfiguration,
} from './configuration.js';

const API_VERSION = /^apiserver\.config\.[a-z0-9.-]+\/v1$/;
/** Legacy name of the kind, which is accepted as well. */
const LEGACY = 'v1/EncryptionConfig';

/** Default timeout in milliseconds. */
const KMS_TIMEOUT = 3_000;
const KMS_VERSION = 'v1';

/**
 * Decodes a file, and fills in defaults; `configurationErrors` validates the content.
 * @param value as it was parsed
 * @throws Error for anything but an EncryptionConfiguration, and for unknown fields
 */
export function readEncryptionConfiguration(value: unknown): EncryptionConfiguration {
  const { apiVersion, kind, resources, ...others } = objectOf(value, 'the file');
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isKnown(apiVersion, kind))
    throw new Error(
      `no kind ${JSON.stringify(kind ?? '')} is registered for version ${JSON.stringify(apiVersion ?? '')}`,
    );
  refuseOthers(others, '');
  return { resources: listOf(resources, 'resources').map((each, i) => resourceOf(each, `resources[${i}]`)) };
}

const isKnown = (apiVersion: string, kind: string): boolean =>
  `${apiVersion}/${kind}` === LEGACY || (kind === 'EncryptionConfiguration' && API_VERSION.test(apiVersion));

function resourceOf(value: unknown, where: string): ResourceConfiguration {
  const { resources, providers, ...others } = objectOf(value, where);
  refuseOthers(others, `${where}.`);
  return {
    resources: listOf(resources, `${where}.resources`).map((each, i) => textOf(each, `${where}.resources[${i}]`)),
    providers: listOf(providers, `${where}.providers`).map((each, i) => providerOf(each, `${where}.providers[${i}]`)),
  };
}

function providerOf(value: unknown, where: string): ProviderConfiguration {
  const { aesgcm, aescbc, secretbox, identity, kms, ...others } = objectOf(value ?? {}, where);
  refuseOthers(others, `${where}.`);
  return {
    ...(isGiven(aesgcm) && { aesgcm: keysOf(aesgcm, `${where}.aesgcm`) }),
    ...(isGiven(aescbc) && { aescbc: keysOf(aescbc, `${where}.aescbc`) }),
    ...(isGiven(secretbox) && { secretbox: keysOf(secretbox, `${where}.secretbox`) }),
    ...(isGiven(identity) && { identity: identityOf(identity, `${where}.identity`) }),
    ...(isGiven(kms) && { kms: kmsOf(kms, `${where}.kms`) }),
  };
}

function identityOf(value: unknown, where: string): Record<string, never> {
  refuseOthers(objectOf(value, where), `${where}.`);
  return {};
}

function keysOf(value: unknown, where: string): KeysConfiguration {
  const { keys, ...others } = objectOf(value, where);
  refuseOthers(others, `${where}.`);
  return {
    keys: listOf(keys, `${where}.keys`).map((each, i) => {
      const at = `${where}.keys[${i}]`;
      const { name, secret, ...rest } = objectOf(each, at);
      refuseOthers(rest, `${at}.`);
      return { name: textOf(name, `${at}.name`), secret: textOf(secret, `${at}.secret`) };
    }),
  };
}

function kmsOf(value: unknown, where: string): KmsConfiguration {
  const { apiVersion, name, cachesize, endpoint, timeout, ...others } = objectOf(value, where);
  refuseOthers(others, `${where}.`);
  if (isGiven(cachesize) && !Number.isInteger(cachesize)) throw new Error(`${where}.cachesize must be a whole number`);
  return {
    apiVersion: textOf(apiVersion, `${where}.apiVersion`) || KMS_VERSION,
    name: textOf(name, `${where}.name`),
    ...(isGiven(cachesize) && { cacheSize: cachesize as number }),
    endpoint: textOf(endpoint, `${where}.endpoint`),
    timeout: isGiven(timeout) ? millisecondsOf(timeout, `${where}.timeout`) : KMS_TIMEOUT,
  };
}

function millisecondsOf(value: unknown, where: string): number {
  try {
    return Number(parseDuration(textOf(value, where))) / 1e6;
  } catch (error) {
    if (error instanceof DurationError) throw new Error(`${where}: ${error.message}`);
    throw error;
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function textOf(value: unknown, where: string): string {
  if (!isGiven(value)) return '';
  if (typeof value !== 'string') throw new Error(`${where} must be a string`);
  return value;
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value)) throw new Error(`${where} must be a list`);
  return value;
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is not an object`);
  return value as Record<string, unknown>;
}

/** Characters of a name to show: the shortest key has 24, and may be in a name's place by mistake. */
const LONGEST_FIELD = 16;

function refuseOthers(others: Record<string, unknown>, where: string): void {
  const unknown = Object.keys(others).map(
    (key) => where + (key.length > LONGEST_FIELD ? 'a name that is not shown' : key),
  );
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
}
