import { type ApiError, Client, Informer, type ListQuery } from '@orch/client';
import { ObjectCodec } from '@orch/codec';
import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';

const names = namesOf('kubernetes');
const form = new ObjectCodec(loadScheme(names), names.protobufMediaType);

const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'default' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const widgets = { group: 'example.org', version: 'v1', resource: 'widgets', namespace: 'default' };
const named = (resource: string, group = '', version = 'v1', namespace = 'default') => ({
  ...{ group, version, resource, namespace },
});

let server: Standalone;
let json: Client;
let binary: Client;

beforeAll(async () => {
  server = await startStandalone();
  const connection = { server: server.url, ca: server.ca, token: server.token };
  json = new Client(connection, { names, qps: -1 });
  binary = new Client(connection, { names, qps: -1, form });
});
afterAll(async () => {
  await Promise.all([json?.close(), binary?.close()]);
  await server?.stop();
});

const podSpec = {
  automountServiceAccountToken: false,
  containers: [
    {
      ...{ name: 'c', image: 'i', command: ['a'], env: [{ name: 'E', value: 'é' }] },
      resources: { requests: { cpu: '0.5', memory: '64Mi' }, limits: { cpu: '1500m' } },
      ports: [{ containerPort: 80 }],
      livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
    },
  ],
};
const podOf = (name: string): ApiObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: podSpec });
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };

/** Objects of many kinds: with quantities, times, bytes, numbers or names, and open parts. */
const objects: readonly (readonly [ReturnType<typeof named>, ApiObject])[] = [
  [pods, podOf('forms')],
  [
    deployments,
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', annotations: { a: 'b' } } },
      spec: { replicas: 2, selector: { matchLabels: { app: 'a' } }, template },
    },
  ],
  [
    named('statefulsets', 'apps'),
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' } },
      spec: { serviceName: 's', selector: { matchLabels: { app: 'a' } }, template },
    },
  ],
  [
    named('services'),
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } },
      spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { app: 'a' } },
    },
  ],
  [named('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'AAEC/w==' } }],
  [
    named('configmaps'),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' }, binaryData: { b: 'AA==' } },
  ],
  [
    named('leases', 'coordination.k8s.io'),
    {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } },
      spec: { holderIdentity: 'me', renewTime: '2023-04-05T06:07:08.123456Z', leaseDurationSeconds: 40 },
    },
  ],
  [
    named('controllerrevisions', 'apps'),
    {
      ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' } },
      ...{ data: { spec: { any: [1, 'two', null] } }, revision: 7 },
    },
  ],
  [
    named('events', 'events.k8s.io'),
    {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e' } },
      ...{ eventTime: '2023-04-05T06:07:08.000001Z', reportingController: 'x.io/y', reportingInstance: 'z' },
      ...{ action: 'A', reason: 'R', type: 'Normal', regarding: { kind: 'Pod', name: 'p', namespace: 'default' } },
    },
  ],
];

/** Without what differs between two objects that were created alike. */
function shape(object: ApiObject): unknown {
  const own = { uid: '', resourceVersion: '', creationTimestamp: '', name: '', managedFields: [] };
  const { clusterIP: _ip, clusterIPs: _ips, ...spec } = (object as { spec?: Record<string, unknown> }).spec ?? {};
  return { ...object, spec, metadata: { ...object.metadata, ...own } };
}

/** Without the second in which its deletion was asked for. */
const undated = (object: ApiObject): unknown => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: object.metadata?.deletionTimestamp !== undefined },
});

describe('an object', () => {
  test.each(objects.map(([ref, object]) => [object.kind, ref, object] as const))(
    '%s is the same in both forms',
    async (_kind, ref, object) => {
      const name = String(object.metadata?.name);
      const other = { ...object, metadata: { ...object.metadata, name: `${name}2` } };
      expect(shape(await binary.create(ref, object))).toEqual(shape(await json.create(ref, other)));
      const read = await json.get(ref, name);
      expect(await binary.get(ref, name)).toEqual(read);
      expect(await binary.list(ref)).toEqual(await json.list(ref));
      const labelled = { ...read, metadata: { ...read.metadata, labels: { by: 'binary' } } };
      expect(await binary.update(ref, labelled)).toEqual(await json.get(ref, name));
      const patch = { metadata: { labels: { more: 'yes' } } };
      expect(await binary.patch(ref, name, 'merge', patch)).toEqual(await json.get(ref, name));
      const options = { propagationPolicy: 'Background', preconditions: { uid: String(read.metadata?.uid) } } as const;
      const deleted = await binary.delete(ref, name, options, { dryRun: 'All' });
      expect(undated(deleted)).toEqual(undated(await json.delete(ref, name, options, { dryRun: 'All' })));
    },
  );

  test('bodies are sent in the binary form, except patches', async () => {
    const sent: unknown[] = [];
    const spied = new ObjectCodec(loadScheme(names), names.protobufMediaType);
    const spy: typeof form.encode = (object) => {
      const bytes = spied.encode(object);
      sent.push(bytes?.subarray(0, 3).toString());
      return bytes;
    };
    const client = new Client(
      { server: server.url, ca: server.ca, token: server.token },
      {
        names,
        form: {
          mediaType: spied.mediaType,
          encode: spy,
          decode: (bytes) => spied.decode(bytes),
          decodeEvent: (frame) => spied.decodeEvent(frame),
        },
      },
    );
    await client.create(pods, podOf('sent'));
    await client.patch(pods, 'sent', 'strategic', { metadata: { labels: { a: 'b' } } });
    await client.delete(pods, 'sent', { gracePeriodSeconds: 0 });
    await client.close();
    expect(sent).toEqual(['k8s', 'k8s']);
  });

  test('a subresource: bindings, evictions and scales', async () => {
    const scale = await binary.get(deployments, 'd', {}, { subresource: 'scale' });
    expect(scale).toEqual(await json.get(deployments, 'd', {}, { subresource: 'scale' }));
    const more = { ...scale, spec: { replicas: 5 } };
    const changed = (await binary.update(deployments, more, {}, { subresource: 'scale' })) as { spec?: object };
    expect(changed.spec).toEqual({ replicas: 5 });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'forms2' } };
    const answer = await binary.create(pods, eviction, { dryRun: 'All' }, { name: 'forms2', subresource: 'eviction' });
    expect(answer).toMatchObject({ kind: 'Status', status: 'Success' });
  });
});

describe('an error', () => {
  const refusals: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    ['NotFound', (client) => client.get(pods, 'nowhere')],
    ['AlreadyExists', (client) => client.create(pods, podOf('forms'))],
    ['Invalid', (client) => client.create(pods, { ...podOf('x'), spec: { containers: [] } } as ApiObject)],
    ['Expired', (client) => client.list(pods, { limit: 1, continue: 'none' } as ListQuery)],
    ['BadRequest', (client) => client.create(pods, { ...podOf('x'), spec: 'none' } as ApiObject)],
  ];
  test.each(refusals)('%s is the same Status', async (_reason, call) => {
    const [one, two] = await Promise.all(
      [binary, json].map((client) => call(client).catch((error: ApiError) => error)),
    );
    expect((one as ApiError).status).toEqual((two as ApiError).status);
    expect((one as ApiError).status.status).toBe('Failure');
  });
});

describe('a watch', () => {
  test('gives the same events, bookmarks and errors among them', async () => {
    const { metadata } = await json.list(pods);
    const start = { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 2 };
    const read = async (client: Client) => {
      const events: unknown[] = [];
      for await (const event of client.openWatch(pods, start)) events.push(event);
      return events;
    };
    const both = Promise.all([read(binary), read(json)]);
    for (let at = 0; at < 50; at++) await binary.create(pods, podOf(`many-${at}`));
    await binary.delete(pods, 'many-0', { gracePeriodSeconds: 0 });
    const [one, two] = await both;
    const changes = (events: unknown[] = []) =>
      events.filter((event) => (event as ApiObject & { type: string }).type !== 'BOOKMARK');
    expect(changes(one)).toEqual(changes(two));
    expect(changes(one).length).toBeGreaterThan(0);
    await expect(binary.openWatch(pods, { resourceVersion: '1' }).next()).rejects.toMatchObject({ code: 410 });
  });

  test('an informer has the same objects', async () => {
    const informers = [binary, json].map((client) => new Informer(client, pods, { pageSize: 7 }));
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced));
    const [one, two] = informers.map((informer) =>
      [...informer.list()].sort((a, b) => keyed(a).localeCompare(keyed(b))),
    );
    expect(one).toEqual(two);
    expect(one?.length).toBeGreaterThan(40);
    await Promise.all(informers.map((informer) => informer.stop()));
  });
});

const keyed = ({ metadata }: ApiObject): string => String(metadata?.name);

test('objects of kinds that are not built in stay JSON', async () => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await binary.create(definitions, {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'widgets.example.org' },
    spec: {
      ...{ group: 'example.org', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as ApiObject);
  const widget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { any: [1, null] } };
  const made = () => binary.create(widgets, widget as ApiObject).catch((error: ApiError) => error.reason);
  await expect.poll(made).toMatchObject({ spec: { any: [1, null] } });
  expect(await binary.list(widgets)).toEqual(await json.list(widgets));
  for await (const event of binary.openWatch(widgets, { timeoutSeconds: 1 }))
    expect(event.object).toMatchObject(widget);
});
