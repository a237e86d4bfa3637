import { type FieldError, formatDuration, invalidValue, parseUrl, required } from '@orch/machinery';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration.js';
import { socketOf } from './endpoint.js';
import { ANY, parseResource } from './rules.js';

const AES_KEYS = [16, 24, 32];
const SECRETBOX_KEYS = [32];
/** RFC 4648, 4, with required padding; surplus bits behind the last byte are ignored. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Internal resources of the reference, which are not served. */
const NOT_SERVED = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];
/** Resource that is never encrypted: the database updates its amounts. */
const PLAIN = 'resourcequotas';

/** Group of events beside the core group, in which they are stored: `events.k8s.io`. */
export interface GroupNames {
  readonly events: string;
}

/** Validates a configuration, with the messages of the reference (k8s.io/apiserver, pkg/apis/config/validation). */
export function configurationErrors({ resources }: EncryptionConfiguration, names: GroupNames): FieldError[] {
  if (resources.length === 0) return [required('resources', 'at least one resources is required')];
  const kmsNames = new Set<string>();
  return resources.flatMap((each, i) => {
    const at = `resources[${i}]`;
    const [resourcesAt, providersAt] = [`${at}.resources`, `${at}.providers`];
    return [
      ...(each.resources.length === 0 ? [required(resourcesAt, `at least one ${resourcesAt} is required`)] : []),
      ...overlapErrors(each.resources, resourcesAt),
      ...each.resources.flatMap((resource, j) => resourceErrors(resource, `${resourcesAt}[${j}]`, names)),
      ...(each.providers.length === 0 ? [required(providersAt, `at least one ${providersAt} is required`)] : []),
      ...each.providers.flatMap((provider, j) => providerErrors(provider, `${providersAt}[${j}]`, kmsNames)),
    ];
  });
}

function overlapErrors(resources: readonly string[], at: string): FieldError[] {
  const parsed = resources.map(parseResource);
  let isTwice = false;
  let overlaps = false;
  for (const [i, a] of parsed.entries())
    for (const [j, b] of parsed.entries()) {
      if (i === j) continue;
      if (!isTwice && a.group === b.group && a.resource === b.resource) isTwice = true;
      else if (a.group === ANY && a.resource === ANY) overlaps = true;
      else if (a.group === b.group && (a.resource === ANY || b.resource === ANY)) overlaps = true;
    }
  return [
    ...(isTwice ? [invalidValue(at, resources, 'the same resource cannot be specified multiple times')] : []),
    ...(overlaps
      ? [
          invalidValue(
            at,
            resources,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ];
}

function resourceErrors(text: string, at: string, names: GroupNames): FieldError[] {
  const detail = resourceProblem(text, names);
  return detail === undefined ? [] : [invalidValue(at, text, detail)];
}

function resourceProblem(text: string, { events }: GroupNames): string | undefined {
  if (text.toLowerCase() !== text) return 'resource name should not contain capital letters';
  if (text === ANY) return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (NOT_SERVED.includes(text)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseResource(text);
  if (group === 'events.k8s.io' || group === events)
    return `'*.${group}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === ANY && resource !== ANY) return 'encrypting the same resource across groups is not supported';
  if (group === '' && resource === PLAIN)
    return `${PLAIN} cannot be encrypted: the database itself keeps what they say of use true. Wildcards leave them out`;
  return undefined;
}

function providerErrors(provider: ProviderConfiguration, at: string, kmsNames: Set<string>): FieldError[] {
  const members = Object.keys(provider);
  if (members.length === 0) {
    const detail = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
    return [invalidValue(at, {}, detail)];
  }
  const several = 'more than one provider specified in a single element, should split into different list elements';
  const { kms, aesgcm, aescbc, secretbox } = provider;
  return [
    ...(members.length > 1 ? [invalidValue(at, members, several)] : []),
    ...(kms ? kmsErrors(kms, `${at}.kms`, kmsNames) : []),
    // With several only the first is checked, in the reference's order.
    ...(!kms && aesgcm ? keysErrors(aesgcm, `${at}.aesgcm.keys`, AES_KEYS) : []),
    ...(!kms && !aesgcm && aescbc ? keysErrors(aescbc, `${at}.aescbc.keys`, AES_KEYS) : []),
    ...(!kms && !aesgcm && !aescbc && secretbox ? keysErrors(secretbox, `${at}.secretbox.keys`, SECRETBOX_KEYS) : []),
  ];
}

function keysErrors({ keys }: KeysConfiguration, at: string, lengths: readonly number[]): FieldError[] {
  if (keys.length === 0) return [required(at, 'at least one keys is required')];
  return keys.flatMap(({ name, secret }, i) => [
    ...(name === '' ? [required(`${at}[${i}].name`, 'name is a mandatory field for a key')] : []),
    ...nameErrors(name, `${at}[${i}].name`),
    ...secretErrors(secret, `${at}[${i}].secret`, lengths),
  ]);
}

/** Maximum bytes of a name in a body's envelope. */
const LONGEST_NAME = 1024;

const nameErrors = (name: string, at: string): FieldError[] =>
  Buffer.byteLength(name) > LONGEST_NAME ? [invalidValue(at, name, `may not be more than ${LONGEST_NAME} bytes`)] : [];

/** Errors never contain any part of a secret. */
function secretErrors(secret: string, at: string, lengths: readonly number[]): FieldError[] {
  if (secret === '') return [required(at, 'secret is a mandatory field for a key')];
  const bytes = keyBytes(secret);
  if (!bytes) return [invalidValue(at, 'REDACTED', 'secrets must be base64 encoded')];
  if (lengths.includes(bytes.length)) return [];
  const expected = `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`;
  return [invalidValue(at, 'REDACTED', expected)];
}

/** Decodes a secret; undefined if it is no base64. Line ends in it are ignored. */
export function keyBytes(secret: string): Buffer | undefined {
  const text = secret.replace(/[\r\n]/g, '');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function kmsErrors(kms: KmsConfiguration, at: string, names: Set<string>): FieldError[] {
  const { name, apiVersion, cacheSize, timeout } = kms;
  const errors = [
    ...(name === '' ? [required(`${at}.name`, 'name is a mandatory field for a provider')] : []),
    ...nameErrors(name, `${at}.name`),
    ...(apiVersion !== 'v1' && name.includes(':')
      ? [invalidValue(`${at}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`)]
      : []),
    ...(names.has(name)
      ? [invalidValue(`${at}.name`, name, `duplicate KMS provider name ${name}, names must be unique`)]
      : []),
    ...timeoutErrors(timeout, `${at}.timeout`),
    ...endpointErrors(kms.endpoint, `${at}.endpoint`),
    ...(apiVersion !== 'v1' && cacheSize !== undefined
      ? [invalidValue(`${at}.cachesize`, cacheSize, 'cachesize is not supported in v2')]
      : []),
    ...versionErrors(apiVersion, `${at}.apiVersion`),
  ];
  names.add(name);
  return errors;
}

/**
 * Maximum timeout of a call in milliseconds: longer than any request that could wait for it. Larger values exceed the
 * range of timers, which would then fire at once.
 */
const LONGEST_TIMEOUT = 3_600_000;

/** @param timeout ms */
function timeoutErrors(timeout: number, at: string): FieldError[] {
  const isBounded = timeout <= LONGEST_TIMEOUT;
  if (timeout > 0 && isBounded) return [];
  const text = formatDuration(BigInt(Math.round(timeout * 1e6)));
  return [invalidValue(at, text, isBounded ? 'timeout should be a positive value' : 'timeout may not be more than 1h')];
}

function versionErrors(apiVersion: string, at: string): FieldError[] {
  if (apiVersion === 'v2') return [];
  if (apiVersion === 'v1')
    return [
      invalidValue(at, apiVersion, 'KMS v1, which asks the service for each object, is not supported here: use v2'),
    ];
  return [
    invalidValue(at, apiVersion, 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported'),
  ];
}

/** Endpoints without a socket: an empty path, the root, and an empty abstract name. */
const NAMELESS = ['', '/', '@'];

function endpointErrors(endpoint: string, at: string): FieldError[] {
  if (endpoint === '') return [invalidValue(at, '', 'endpoint is a mandatory field for a kms')];
  const url = parseUrl(endpoint);
  if (typeof url === 'string') return [invalidValue(at, endpoint, `invalid endpoint for kms provider, error: ${url}`)];
  if (url.scheme === 'unix')
    return hasSocket(endpoint)
      ? []
      : [invalidValue(at, endpoint, 'invalid endpoint for kms provider, there is no path of a socket behind unix://')];
  const detail = `unsupported scheme ${JSON.stringify(url.scheme)} for KMS provider, only unix is supported`;
  return [invalidValue(at, endpoint, detail)];
}

function hasSocket(endpoint: string): boolean {
  try {
    return !NAMELESS.includes(socketOf(endpoint));
  } catch {
    return false;
  }
}
