import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Client,
  type Connection,
  Informer,
  loadConnection,
  type ObjectList,
  type ResourceRef,
  readKubeconfig,
} from '@orch/client';
import { type ApiObject, namesOf } from '@orch/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const names = namesOf('orch');
const FOREIGN_PROTOBUF = namesOf('kubernetes').protobufMediaType;
/** Spells the other profile. */
const FOREIGN = /k8s|kubernetes/i;
const OBJECTS = 500;
const CATCH_UP_MS = 30_000;

const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
const RBAC = { group: 'rbac.authorization.orch.io', version: 'v1' };
const roles = { ...RBAC, resource: 'roles', namespace: 'default' };
const clusterRoles = { ...RBAC, resource: 'clusterroles' };
const bindings = { ...RBAC, resource: 'rolebindings', namespace: 'default' };

let server: Standalone;
let connection: Connection;
let client: Client;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-naming-'));
  server = await startStandalone({ naming: 'orch' });
  connection = await readKubeconfig(server.kubeconfig);
  client = new Client(connection, { qps: -1 });
  writeFileSync(join(dir, 'ca.crt'), server.ca);
});
afterAll(async () => {
  await client?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const configMap = (name: string, value = '1', labels: Record<string, string> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data: { a: value },
});

const refusal = (code: number, reason: string) => expect.objectContaining({ code, reason });

describe('the everyday verbs through the client', () => {
  test('ConfigMaps: create, get, list, update, patch, delete', async () => {
    const created = await client.create(configMaps, configMap('a', '1', { app: 'x' }));
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: 'default' } });
    await expect(client.create(configMaps, configMap('a'))).rejects.toEqual(refusal(409, 'AlreadyExists'));
    expect(await client.get(configMaps, 'a')).toEqual(created);
    await client.create(configMaps, configMap('b'));
    const selected = await client.list(configMaps, { labelSelector: 'app=x' });
    expect(selected.items.map(({ metadata }) => metadata?.name)).toEqual(['a']);

    const updated = await client.update(configMaps, { ...created, data: { a: '2' } });
    await expect(client.update(configMaps, { ...created, data: {} })).rejects.toEqual(refusal(409, 'Conflict'));
    expect(updated.metadata?.resourceVersion).not.toBe(created.metadata?.resourceVersion);
    expect((await client.patch(configMaps, 'a', 'merge', { data: { b: '3' } })).data).toEqual({ a: '2', b: '3' });
    const steps = [{ op: 'remove', path: '/data/b' }];
    expect((await client.patch(configMaps, 'a', 'json', steps)).data).toEqual({ a: '2' });

    expect(await client.delete(configMaps, 'a')).toMatchObject({ kind: 'Status', status: 'Success' });
    await expect(client.get(configMaps, 'a')).rejects.toEqual(refusal(404, 'NotFound'));
    await client.deleteCollection(configMaps);
    expect((await client.list(configMaps)).items).toEqual([]);
  });

  test('Deployments: defaults, generation, strategic merge and scale', async () => {
    const container = { name: 'web', image: 'web:1' };
    const created = await client.create<ApiObject>(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
      },
    });
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 } });
    const sidecar = { name: 'side', image: 'side:1' };
    const patched = await client.patch(deployments, 'web', 'strategic', {
      spec: { template: { spec: { containers: [sidecar] } } },
    });
    // Containers merge by name.
    expect(patched).toMatchObject({ metadata: { generation: 2 } });
    const { spec } = patched as { spec: { template: { spec: { containers: { name: string }[] } } } };
    expect(spec.template.spec.containers.map(({ name }) => name).sort()).toEqual(['side', 'web']);

    const scale = await client.get<ApiObject>(deployments, 'web', {}, { subresource: 'scale' });
    expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } });
    await client.update(deployments, { ...scale, spec: { replicas: 4 } }, {}, { subresource: 'scale' });
    expect(await client.get(deployments, 'web')).toMatchObject({ metadata: { generation: 3 }, spec: { replicas: 4 } });
  });

  test('roles and bindings live in rbac.authorization.orch.io', async () => {
    const apiVersion = 'rbac.authorization.orch.io/v1';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
    const role = { apiVersion, kind: 'Role', metadata: { name: 'reader' }, rules };
    expect(await client.create(roles, role)).toMatchObject({ apiVersion, rules });
    await client.create(clusterRoles, { ...role, kind: 'ClusterRole' });
    const bound = await client.create<ApiObject>(bindings, {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'readers' },
      roleRef: { apiGroup: RBAC.group, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'jo' }],
    });
    expect(bound).toMatchObject({ subjects: [{ kind: 'User', name: 'jo', apiGroup: RBAC.group }] });
    const foreign = { ...roles, group: 'rbac.authorization.k8s.io' };
    await expect(client.list(foreign)).rejects.toEqual(refusal(404, 'NotFound'));
  });

  test('a watch tells what follows its version, and ends with a bookmark', async () => {
    const { metadata } = await client.list(configMaps);
    const made = await client.create(configMaps, configMap('watched'));
    await client.patch(configMaps, 'watched', 'merge', { data: { a: '2' } });
    await client.delete(configMaps, 'watched');
    const told: string[] = [];
    const query = { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 1 };
    for await (const { type, object } of client.openWatch(configMaps, query)) {
      if (type !== 'BOOKMARK') expect(object.metadata?.uid).toBe(made.metadata?.uid);
      told.push(type);
    }
    expect(told).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);
  });
});

test('a credential plugin is spoken to in these names', async () => {
  const [plugin, file] = [join(dir, 'plugin'), join(dir, 'with-plugin')];
  const apiVersion = 'client.authentication.orch.io/v1';
  const status = { clientCertificateData: connection.cert, clientKeyData: connection.key };
  writeFileSync(`${plugin}.out`, JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
  writeFileSync(plugin, '#!/bin/sh\nprintf %s "$ORCH_EXEC_INFO" > "$0.info"; cat "$0.out"\n', { mode: 0o755 });
  const exec = { apiVersion, command: './plugin', interactiveMode: 'Never', provideClusterInfo: true };
  const config = {
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: connection.server, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  const withPlugin = new Client(await loadConnection({ env: { KUBECONFIG: file } }));
  try {
    expect((await withPlugin.list(clusterRoles)).kind).toBe('ClusterRoleList');
    const { spec } = JSON.parse(readFileSync(`${plugin}.info`, 'utf8'));
    expect(spec).toMatchObject({ interactive: false, cluster: { server: connection.server } });
  } finally {
    await withPlugin.close();
  }
});

describe('names on the wire, seen with curl', () => {
  test('tables are of meta.orch.io, and of no other group', async () => {
    await client.create(configMaps, configMap('tabled'));
    const path = '/api/v1/namespaces/default/configmaps';
    const table = (group: string) => `Accept: application/json;as=Table;g=${group};v=v1`;
    const found = await curl(path, table(names.metaGroup));
    expect(JSON.parse(found.body.toString())).toMatchObject({ kind: 'Table', apiVersion: 'meta.orch.io/v1' });
    expect((await curl(path, table('meta.k8s.io'))).status).toBe(406);
    expect((await curl(path, `${table('meta.k8s.io')},application/json`)).status).toBe(200);
  });

  test('the binary encoding has the media type of this profile', async () => {
    await client.create(configMaps, configMap('binary'));
    const path = '/api/v1/namespaces/default/configmaps/binary';
    const found = await curl(path, 'Accept: application/vnd.orch.protobuf');
    expect(found).toMatchObject({ status: 200, type: 'application/vnd.orch.protobuf' });
    const file = join(dir, 'binary');
    writeFileSync(file, found.body);
    const put = ['-X', 'PUT', '--data-binary', `@${file}`];
    expect((await curl(path, 'Content-Type: application/vnd.orch.protobuf', put)).status).toBe(200);
    expect((await curl(path, `Content-Type: ${FOREIGN_PROTOBUF}`, put)).status).toBe(415);
  });

  test('a media type of the other profile alone is 406, beside another it is passed over', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const alone = await curl(path, `Accept: ${FOREIGN_PROTOBUF}`);
    expect(alone.status).toBe(406);
    expect(JSON.parse(alone.body.toString())).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
    const beside = await curl(path, `Accept: ${FOREIGN_PROTOBUF},application/json`);
    expect(beside).toMatchObject({ status: 200, type: 'application/json' });
    expect((await curl(`${path}?watch=1&timeoutSeconds=1`, `Accept: ${FOREIGN_PROTOBUF};stream=watch`)).status).toBe(
      406,
    );
  });

  test('discovery has groups of orch.io and spells no other name', async () => {
    const groups = JSON.parse((await curl('/apis')).body.toString()).groups as {
      name: string;
      versions: { groupVersion: string }[];
    }[];
    const named = groups.map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining([RBAC.group, 'storage.orch.io', 'networking.orch.io', 'apps']));
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
    for (const path of ['/api', '/apis', '/api/v1', '/version', ...versions]) {
      const { status, body } = await curl(path);
      expect(status, path).toBe(200);
      expect(body.toString(), path).not.toMatch(FOREIGN);
    }
    const aggregated = 'Accept: application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList';
    for (const path of ['/api', '/apis']) {
      const { status, body } = await curl(path, aggregated);
      expect(status, path).toBe(200);
      expect(body.toString(), path).not.toMatch(FOREIGN);
    }
  });

  test('OpenAPI describes those groups, and keeps only the extensions that bear a fixed name', async () => {
    const index = JSON.parse((await curl('/openapi/v3')).body.toString()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(index.paths)).toContain('apis/rbac.authorization.orch.io/v1');
    expect(Object.keys(index.paths).join(' ')).not.toMatch(FOREIGN);
    for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
      const text = (await curl(serverRelativeURL)).body.toString();
      expect(text.replaceAll(names.extensionPrefix, ''), path).not.toMatch(FOREIGN);
    }
    const rbac = await curl(index.paths['apis/rbac.authorization.orch.io/v1']?.serverRelativeURL ?? '');
    expect(JSON.parse(rbac.body.toString()).paths).toHaveProperty(
      '/apis/rbac.authorization.orch.io/v1/namespaces/{namespace}/roles/{name}',
    );
  });
});

test('an informer over 500 objects keeps its copy and lists no more when the server is killed and started again', async () => {
  const namespace = 'informed';
  const ref: ResourceRef = { ...configMaps, namespace };
  const metadata = { name: namespace };
  await client.create({ group: '', version: 'v1', resource: 'namespaces' }, { kind: 'Namespace', metadata });
  const all = Array.from({ length: OBJECTS }, (_, index) => `object-${index}`);
  const left = [...all];
  const write = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await client.create(ref, configMap(next));
  };
  // Each writer has a connection of its own, which costs more than a write.
  await Promise.all(Array.from({ length: 16 }, write));

  const informer = new Informer<ApiObject>(client, ref);
  const missed: string[] = [];
  informer.subscribe({ deleted: ({ metadata }) => missed.push(metadata?.name ?? '') });
  informer.start();
  try {
    await informer.synced;
    expect(informer.objects.size).toBe(OBJECTS);
    await client.patch(ref, 'object-1', 'merge', { data: { a: 'before' } });

    await server.process.kill('SIGKILL');
    expect(informer.objects.size).toBe(OBJECTS);
    await server.process.start();
    await client.patch(ref, 'object-2', 'merge', { data: { a: 'after' } });
    await client.delete(ref, 'object-3');
    const last = await client.create(ref, configMap('last'));
    await waitUntil(
      'the informer has followed',
      CATCH_UP_MS,
      () => informer.version === last.metadata?.resourceVersion,
    );

    expect(versionsOf([...informer.objects.values()])).toEqual(versionsOf((await listAll(ref)).items));
    expect(informer.objects.get(`${namespace}/object-1`)?.data).toEqual({ a: 'before' });
    expect(informer.objects.get(`${namespace}/object-2`)?.data).toEqual({ a: 'after' });
    expect(missed).toEqual(['object-3']);
    expect(informer.stats).toMatchObject({ lists: 1, expired: 0 });
    expect(informer.stats.resumes).toBeGreaterThan(0);
  } finally {
    await informer.stop();
  }
});

const listAll = (ref: ResourceRef): Promise<ObjectList<ApiObject>> => client.list<ApiObject>(ref);

const versionsOf = (objects: readonly ApiObject[]) =>
  objects.map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();

/** A request by curl, with a token. */
async function curl(path: string, header = 'Accept: application/json', args: readonly string[] = []) {
  const marker = '\n%{http_code} %{content_type}';
  const own = ['-sS', '--cacert', join(dir, 'ca.crt'), '-H', `Authorization: Bearer ${server.token}`, '-H', header];
  const options = { encoding: 'buffer', maxBuffer: 2 ** 26 } as const;
  const all = [...own, '-w', marker, ...args, `${server.url}${path}`];
  const { stdout } = await promisify(execFile)('curl', all, options);
  const end = stdout.lastIndexOf('\n');
  const [status, ...type] = stdout
    .subarray(end + 1)
    .toString()
    .split(' ');
  return { status: Number(status), type: type.join(' '), body: stdout.subarray(0, end) };
}
