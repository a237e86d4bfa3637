import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeServerFolder } from '../../support/run-folder.js';
import { temporaryPki } from '../bare.js';
import { Connection, type Endpoint } from '../connection.js';
import { FloorServer } from '../floor/server.js';
import { table } from '../report.js';
import { type RequestLoad, requestOf } from '../request-load.js';
import { NAME_LENGTH, type Sample, type SampleKind, sampleName, samplePath, samplePrefix } from '../samples.js';
import { inTurn, Rounds } from './rounds.js';

const measured = (value: number) => [{ name: 'create', unit: '1/s', value }];

test('every second round begins with the last side', () => {
  const sides = ['a', 'b', 'c'];
  expect([0, 1, 2].map((round) => inTurn(sides, round).join(''))).toEqual(['abc', 'cba', 'abc']);
});

test('columns hold the medians of their rounds, in the order of the sides', () => {
  const rounds = new Rounds(['orch', 'floor', 'none']);
  for (const value of [30, 10, 20]) rounds.add('floor', measured(value));
  for (const value of [3, 1, 2]) rounds.add('orch', measured(value));
  expect([...rounds.medians()]).toEqual([
    ['orch', measured(2)],
    ['floor', measured(20)],
    ['none', []],
  ]);
});

test('ratios are of the pairs whose columns are there', () => {
  const columns = new Map([
    ['orch', measured(2)],
    ['floor', measured(8)],
  ]);
  const lines = table(columns, [
    ['orch', 'kube-apiserver'],
    ['orch', 'floor'],
  ]).split('\n');
  expect(lines[0]).toMatch(/orch +floor +orch : floor$/);
  expect(lines[1]).toMatch(/^create \[1\/s\] +2\.00 +8\.00 +0\.25×$/);
});

const ENDPOINT: Endpoint = { host: '127.0.0.1', port: 1 };
const PREFIX = samplePrefix('t1');
const KINDS: readonly SampleKind[] = ['ConfigMap', 'Lease', 'Deployment', 'Pod', 'Node', 'Event', 'EndpointSlice'];

const loadOf = (sample: Sample, verb: RequestLoad['verb'], endpoint = ENDPOINT): RequestLoad => ({
  ...{ endpoint, sample, verb, prefix: PREFIX, objects: 64, requesters: 1, seconds: 1 },
  resource: { apiVersion: '', kind: sample.kind, path: samplePath(sample.kind) },
});

test('a request of a sample names its object and version, and its head the length of its body', () => {
  for (const kind of KINDS) {
    const load = loadOf({ kind, wire: 'json' }, 'update');
    for (const [object, version] of [
      [7, '12'],
      [12_345, '678901'],
    ] as const) {
      const [head = '', body = ''] = requestOf(load, object, version).toString().split('\r\n\r\n');
      const name = sampleName(PREFIX, object);
      expect(name.length).toBe(NAME_LENGTH);
      expect(head).toContain(`PUT ${samplePath(kind)}/${name} HTTP/1.1\r\n`);
      expect(head).toContain(`Content-Length: ${body.length}`);
      expect(JSON.parse(body)).toMatchObject({ kind, metadata: { name, resourceVersion: version } });
    }
  }
});

test('an update of a sample differs from the one before, and from the creation', () => {
  const bodyOf = (request: Buffer) => request.toString().split('\r\n\r\n')[1];
  const parts = (['ConfigMap', 'Lease', 'Deployment', 'Pod'] as const).map((kind): Sample => ({ kind, wire: 'json' }));
  const statuses = (['Pod', 'Node'] as const).map((kind): Sample => ({ kind, wire: 'json', subresource: 'status' }));
  for (const sample of [...parts, ...statuses]) {
    const update = loadOf(sample, 'update');
    const created = bodyOf(requestOf(loadOf(sample, 'create'), 1));
    const updates = Array.from({ length: 9 }, () => bodyOf(requestOf(update, 1, '5')));
    const unversioned = updates.map((body) => body?.replace(',"resourceVersion":"5"', ''));
    expect(unversioned[0]).not.toBe(created);
    for (const [at, body] of unversioned.entries()) if (at > 0) expect(body).not.toBe(unversioned[at - 1]);
  }
});

test('a binary sample has one length whatever its number', () => {
  for (const kind of KINDS) {
    const load = loadOf({ kind, wire: 'protobuf' }, 'create');
    const [first, other] = [requestOf(load, 1), requestOf(load, 99_999_999)];
    expect(other.length).toBe(first.length);
    expect(other.includes(sampleName(PREFIX, 99_999_999))).toBe(true);
    expect(other.includes('k8s\0')).toBe(true);
  }
});

const folder = makeServerFolder('floor-test-');
let floor: FloorServer;
let endpoint: Endpoint;

beforeAll(async () => {
  const pki = await temporaryPki();
  floor = await FloorServer.start({ port: 0, dataDir: mkdtempSync(`${folder}/`), tls: pki.serving });
  endpoint = { host: '127.0.0.1', port: floor.port, tls: { ca: pki.ca.cert } };
});

afterAll(async () => {
  await floor?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the floor makes objects durable, changes and deletes them, in batches and in both forms', async () => {
  floor.shape({ answer: 1_500 });
  const connections = await Promise.all(Array.from({ length: 8 }, () => Connection.open(endpoint)));
  const send = (sample: Sample, verb: RequestLoad['verb'], version?: string) =>
    Promise.all(
      connections.map((connection, at) =>
        connection.request(requestOf(loadOf(sample, verb, endpoint), at, version), true),
      ),
    );
  const versionOf = (body: Buffer) => Number(/"resourceVersion":"(\d+)"/.exec(body.toString())?.[1]);
  for (const wire of ['json', 'protobuf'] as const) {
    const before = await floor.database.counts();
    const created = await send({ kind: 'Pod', wire }, 'create');
    expect(created.every(({ status, bytes }) => status === 201 && bytes === 1_500)).toBe(true);
    expect(new Set(created.map(({ body }) => versionOf(body))).size).toBe(8);
    const updated = await send({ kind: 'Pod', wire, subresource: 'status' }, 'update', '1');
    expect(updated.every(({ body }, at) => versionOf(body) > versionOf(created[at]?.body ?? Buffer.alloc(0)))).toBe(
      true,
    );
    const got = await send({ kind: 'Pod', wire }, 'get');
    expect(got.map(({ body }) => versionOf(body))).toEqual(updated.map(({ body }) => versionOf(body)));
    expect((await floor.database.counts()).objects).toBe(before.objects + 8);
    expect((await send({ kind: 'Pod', wire }, 'delete')).every(({ status }) => status === 200)).toBe(true);
    expect((await send({ kind: 'Pod', wire }, 'get')).every(({ status }) => status === 404)).toBe(true);
    expect(await floor.database.counts()).toEqual({ objects: before.objects, changes: before.changes + 24 });
  }
  for (const connection of connections) connection.close();
});
