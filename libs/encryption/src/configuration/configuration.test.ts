import { describe, expect, it } from 'vitest';
import { readEncryptionConfiguration } from './read.js';
import { ResourceRules } from './rules.js';
import { configurationErrors } from './validation.js';

const SECRET_16 = Buffer.alloc(16, 1).toString('base64');
const SECRET_32 = Buffer.alloc(32, 1).toString('base64');
const file = (resources: unknown) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources,
});
const key = { name: 'key1', secret: SECRET_32 };
const kms = { apiVersion: 'v2', name: 'kms', endpoint: 'unix:///run/kms.sock', timeout: '1s' };

const errorsOf = (resources: unknown): string[] =>
  configurationErrors(readEncryptionConfiguration(file(resources)), { events: 'events.orch.io' }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
const ofProviders = (...providers: readonly unknown[]) => errorsOf([{ resources: ['secrets'], providers }]);
const ofResources = (...resources: readonly string[]) => errorsOf([{ resources, providers: [{ identity: {} }] }]);

describe('an EncryptionConfiguration', () => {
  it('is read with its defaults, under its old name too', () => {
    const resources = [
      { resources: ['secrets'], providers: [{ kms: { name: 'a', endpoint: 'unix:///a' } }, { identity: {} }] },
    ];
    const read = readEncryptionConfiguration({ apiVersion: 'v1', kind: 'EncryptionConfig', resources });
    expect(read.resources[0]?.providers).toEqual([
      { kms: { apiVersion: 'v1', name: 'a', endpoint: 'unix:///a', timeout: 3000 } },
      { identity: {} },
    ]);
  });

  it.each<[string, unknown, string]>([
    [
      'another kind',
      { ...file([]), kind: 'Other' },
      'no kind "Other" is registered for version "apiserver.config.k8s.io/v1"',
    ],
    ['unknown fields', file([{ resourses: [] }]), 'unknown fields: resources[0].resourses'],
    [
      'a key in the place of a field',
      file([{ providers: [{ aesgcm: { keys: [{ name: 'a', [Buffer.alloc(16).toString('base64')]: '' }] } }] }]),
      'unknown fields: resources[0].providers[0].aesgcm.keys[0].a name that is not shown',
    ],
    ['another type', file([{ resources: 'secrets' }]), 'resources[0].resources must be a list'],
    [
      'a time that is none',
      file([{ providers: [{ kms: { timeout: 'soon' } }] }]),
      'resources[0].providers[0].kms.timeout: ',
    ],
  ])('is refused for %s', (_what, value, message) => {
    expect(() => readEncryptionConfiguration(value)).toThrow(message);
  });

  it('has to say something', () => {
    expect(errorsOf([])).toEqual(['resources: Required value: at least one resources is required']);
    expect(errorsOf([{}])).toEqual([
      'resources[0].resources: Required value: at least one resources[0].resources is required',
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ]);
  });

  it.each<[string, string]>([
    ['Secrets', 'resource name should not contain capital letters'],
    ['*', "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"],
    ['serviceipallocations', 'resources which do not have REST API/s cannot be encrypted'],
    [
      'events.events.k8s.io',
      "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file",
    ],
    ['ingresses.extensions', "'extensions' group has been removed and cannot be used for encryption"],
    ['secrets.*', 'encrypting the same resource across groups is not supported'],
    [
      'resourcequotas',
      'resourcequotas cannot be encrypted: the database itself keeps what they say of use true. Wildcards leave them out',
    ],
  ])('does not take the resource %s', (resource, detail) => {
    expect(ofResources(resource)).toEqual([
      `resources[0].resources[0]: Invalid value: ${JSON.stringify(resource)}: ${detail}`,
    ]);
  });

  it('takes no resources of one list that hide each other', () => {
    const overlap =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    expect(ofResources('secrets', '*.')).toEqual([
      `resources[0].resources: Invalid value: ["secrets","*."]: ${overlap}`,
    ]);
    expect(ofResources('*.*', 'deployments.apps')).toHaveLength(1);
    expect(ofResources('secrets', 'secrets')).toEqual([
      'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
    ]);
    expect(ofResources('secrets', '*.apps', 'events')).toEqual([]);
  });

  it('has one provider in each place', () => {
    expect(ofProviders({})[0]).toMatch(/provider does not contain any of the expected providers: KMS, AESGCM/);
    expect(ofProviders({ identity: {}, aesgcm: { keys: [key] } })[0]).toMatch(/more than one provider specified/);
  });

  it.each<[string, unknown, string]>([
    ['no keys', { aescbc: { keys: [] } }, 'aescbc.keys: Required value: at least one keys is required'],
    [
      'no name',
      { aescbc: { keys: [{ secret: SECRET_32 }] } },
      'aescbc.keys[0].name: Required value: name is a mandatory field for a key',
    ],
    [
      'no secret',
      { aesgcm: { keys: [{ name: 'a' }] } },
      'aesgcm.keys[0].secret: Required value: secret is a mandatory field for a key',
    ],
    [
      'no base64',
      { secretbox: { keys: [{ name: 'a', secret: 'a!b' }] } },
      'secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      'a short key',
      { secretbox: { keys: [{ name: 'a', secret: SECRET_16 }] } },
      'secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
    ],
    [
      'v1',
      { kms: { ...kms, apiVersion: 'v1' } },
      'kms.apiVersion: Invalid value: "v1": KMS v1, which asks the service for each object, is not supported here: use v2',
    ],
    [
      'v3',
      { kms: { ...kms, apiVersion: 'v3' } },
      'kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    ],
    [
      'a colon',
      { kms: { ...kms, name: 'a:b' } },
      `kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`,
    ],
    [
      'no time',
      { kms: { ...kms, timeout: '0s' } },
      'kms.timeout: Invalid value: "0s": timeout should be a positive value',
    ],
    [
      'more time than timers have',
      { kms: { ...kms, timeout: '600h' } },
      'kms.timeout: Invalid value: "600h0m0s": timeout may not be more than 1h',
    ],
    ...['unix://', 'unix:///', 'unix:///@', 'unix://kms.sock', 'unix:///%ff', 'unix://a:99999/b'].map(
      (endpoint): [string, unknown, string] => [
        `no path in ${endpoint}`,
        { kms: { ...kms, endpoint } },
        `kms.endpoint: Invalid value: "${endpoint}": invalid endpoint for kms provider, there is no path of a socket behind unix://`,
      ],
    ),
    ['a cache', { kms: { ...kms, cachesize: 5 } }, 'kms.cachesize: Invalid value: 5: cachesize is not supported in v2'],
    [
      'no place',
      { kms: { ...kms, endpoint: '' } },
      'kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms',
    ],
    [
      'another scheme',
      { kms: { ...kms, endpoint: 'tcp://localhost:1' } },
      'kms.endpoint: Invalid value: "tcp://localhost:1": unsupported scheme "tcp" for KMS provider, only unix is supported',
    ],
  ])('is told %s', (_what, provider, error) => {
    expect(ofProviders(provider)).toEqual([`resources[0].providers[0].${error}`]);
  });

  it('takes a key management service by a name that is no file, and with an hour of time', () => {
    expect(ofProviders({ kms: { ...kms, endpoint: 'unix:///@kms', timeout: '1h' } })).toEqual([]);
  });

  it('names each key management service once', () => {
    expect(ofProviders({ kms }, { kms })).toEqual([
      'resources[0].providers[1].kms.name: Invalid value: "kms": duplicate KMS provider name kms, names must be unique',
    ]);
  });
});

describe('rules', () => {
  const rules = (...resources: readonly string[]) => {
    const made = new ResourceRules<string>();
    for (const resource of resources) made.add(resource, [resource]);
    return made;
  };

  it('go from the narrowest to the widest', () => {
    const made = rules('secrets', 'secrets', '*.', '*.apps', '*.*');
    expect(made.of({ group: '', resource: 'secrets' })).toEqual(['secrets', 'secrets']);
    expect(made.of({ group: '', resource: 'pods' })).toEqual(['*.']);
    expect(made.of({ group: 'apps', resource: 'deployments' })).toEqual(['*.apps']);
    expect(made.of({ group: 'batch', resource: 'jobs' })).toEqual(['*.*']);
    expect(rules('secrets').of({ group: 'x.io', resource: 'secrets' })).toBeUndefined();
  });

  it('leave out what the database reads, and what the server keeps for itself', () => {
    const made = rules('*.*');
    expect(made.of({ group: '', resource: 'resourcequotas' })).toBeUndefined();
    expect(made.of({ group: 'internal', resource: 'clusterips' })).toBeUndefined();
    expect(made.leftOut).toEqual([{ group: '', resource: 'resourcequotas' }]);
    expect(rules('*.').leftOut).toHaveLength(1);
    expect(rules('*.apps').leftOut).toEqual([]);
  });

  it.each([
    ['*.', 'secrets', 'resource "secrets" is masked by earlier rule "*."'],
    ['*.apps', '*.apps', 'resource "*.apps" is masked by earlier rule "*.apps"'],
    ['*.*', 'deployments.apps', 'resource "deployments.apps" is masked by earlier rule "*.*"'],
    ['*.*', '*.', 'resource "*." is masked by earlier rule "*.*"'],
  ])('%s hides %s', (first, second, message) => {
    expect(() => rules(first, second)).toThrow(message);
  });
});
