import { Connection, type Endpoint, requestBytes } from './connection.js';
import { FILLING, type Resource } from './resource.js';

const GROUP = 'custom.bench.example.com';
const API_VERSION = `${GROUP}/v1`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAMESPACE = 'bench';
const SERVED_TRIES = 10_000;

/** The parts of a ruled object; each has ten fields, itself included, and two rules. */
const PARTS = 10;

/** A kind whose objects are 1 KiB: two strings under `data`. */
export const simpleKind = (): Definition => definition('Simple', [version('v1', { data: FILLED })]);

/** A kind with 100 fields of many types, defaults among them, and 20 rules. */
export const ruledKind = (): Definition => definition('Ruled', [version('v1', { spec: ruledSchema() })]);

/** The simple kind in two versions: what is `data` in `v1`, which is stored, is `content` in `v2`. Of `run` alone, as its webhook is. */
export const convertedKind = (run: string, clientConfig: object): Definition =>
  definition(`Converted${run}`, [version('v1', { data: FILLED }), version('v2', { content: FILLED })], {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig },
  });

/** An object of the simple kind. `change` stands in one of its fields. */
export const simpleObject = (name: string, change: string): object => ({
  apiVersion: API_VERSION,
  kind: 'Simple',
  metadata: { name, labels: { app: 'bench', tier: 'load' } },
  data: { filling: FILLING, sent: change },
});

/** An object of the ruled kind that follows its rules, of 3 KiB. `change` stands in one of its fields. */
export function ruledObject(name: string, change: string): object {
  const parts = Array.from({ length: PARTS }, (_, i) => [`part${i}`, ruledPart(i, change)]);
  return { apiVersion: API_VERSION, kind: 'Ruled', metadata: { name }, spec: Object.fromEntries(parts) };
}

/** Makes a kind known, once, and waits until its objects are served. @returns its objects of the last version, in some namespace */
export async function defineKind(endpoint: Endpoint, definition: Definition): Promise<Resource> {
  const { names, versions } = definition.spec;
  const connection = await Connection.open(endpoint);
  try {
    const body = JSON.stringify(definition);
    const { status, body: said } = await connection.request(requestBytes(endpoint, 'POST', DEFINITIONS, body), true);
    if (status !== 201 && status !== 409) throw new Error(`${names.kind}: ${status} ${said}`);
    const resources = versions.map(({ name }) => resourceOf(names, name));
    for (const { path } of resources) await served(connection, endpoint, path);
    return resources.at(-1) as Resource;
  } finally {
    connection.close();
  }
}

/** The same objects in another version. */
export function inVersion(resource: Resource, version: string): Resource {
  const { member: _other, ...same } = resource;
  const apiVersion = `${GROUP}/${version}`;
  const member = version === 'v1' ? {} : { member: 'content' };
  return { ...same, apiVersion, path: resource.path.replace(`/${resource.apiVersion}/`, `/${apiVersion}/`), ...member };
}

export type Definition = ReturnType<typeof definition>;

const FILLED = {
  type: 'object',
  properties: { filling: { type: 'string', maxLength: 4096 }, sent: { type: 'string', maxLength: 64 } },
};

function definition(kind: string, versions: readonly ReturnType<typeof version>[], conversion?: object) {
  const singular = kind.toLowerCase();
  const names = { plural: `${singular}s`, singular, kind, listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names, versions, ...(conversion && { conversion }) },
  };
}

const version = (name: string, properties: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties } },
});

function resourceOf({ plural, kind }: Definition['spec']['names'], version: string): Resource {
  const path = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/${plural}`;
  return inVersion({ apiVersion: API_VERSION, kind, path }, version);
}

async function served(connection: Connection, endpoint: Endpoint, path: string): Promise<void> {
  for (let tries = 0; tries < SERVED_TRIES; tries++) {
    const { status } = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (status === 200) return;
  }
  throw new Error(`${path} is not served`);
}

function ruledSchema(): object {
  const integer = { type: 'integer', format: 'int32', minimum: 0 };
  const text = { type: 'string', maxLength: 63 };
  const port = { type: 'object', required: ['port'], properties: { port: integer, name: text } };
  const properties = {
    name: { ...text, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' },
    mode: { type: 'string', enum: ['Automatic', 'Manual'], default: 'Automatic' },
    enabled: { type: 'boolean', default: true },
    replicas: { ...integer, maximum: 1000 },
    minReplicas: { ...integer, default: 0 },
    maxReplicas: integer,
    limit: { 'x-kubernetes-int-or-string': true },
    labels: { type: 'object', maxProperties: 16, additionalProperties: text },
    ports: {
      type: 'array',
      maxItems: 16,
      items: port,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
    },
  };
  const part = (i: number) => ({
    type: 'object',
    required: ['name', 'replicas', 'maxReplicas'],
    properties,
    'x-kubernetes-validations': [BOUNDS, OTHER_RULES[i % OTHER_RULES.length]],
  });
  const parts = Array.from({ length: PARTS }, (_, i) => [`part${i}`, part(i)]);
  return { type: 'object', properties: Object.fromEntries(parts) };
}

const BOUNDS = {
  rule: 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
  message: 'replicas must lie between minReplicas and maxReplicas',
};

/** Typical rules: about optional members, lists and maps, texts, and old values. */
const OTHER_RULES: readonly { readonly rule: string; readonly message: string }[] = [
  { rule: '!has(self.ports) || self.ports.all(p, p.port > 0 && p.port < 65536)', message: 'ports must be valid' },
  { rule: 'self.name == oldSelf.name', message: 'name is immutable' },
  { rule: "!has(self.labels) || self.labels.all(key, !key.startsWith('reserved'))", message: 'labels are reserved' },
  { rule: "self.mode == 'Automatic' || self.enabled", message: 'what is not automatic must be enabled' },
  { rule: "self.name.matches('^[a-z]') && self.name.size() > 1", message: 'name must begin with a letter' },
];

const ruledPart = (i: number, change: string) => ({
  name: `part-${i}-of-it`,
  ...(i % 2 === 0 && { mode: 'Manual', enabled: true }),
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 10 + i,
  limit: i % 2 === 0 ? 1 : '50%',
  labels: { app: 'bench', tier: 'load', component: `component-${i}`, ...(i === 0 && { change }) },
  ports: [
    { port: 80, name: 'http' },
    { port: 443, name: 'https' },
    { port: 8080 + i, name: 'metrics' },
  ],
});
