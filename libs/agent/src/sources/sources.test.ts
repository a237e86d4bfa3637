import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@orch/client';
import { namesOf, notFound } from '@orch/machinery';
import { podAnnotations } from '@orch/pod-environment';
import { silentLogger, systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DesiredPods, type PodChange } from './desired-pods.js';
import { FileSource, MAX_MANIFEST_BYTES } from './file-source.js';
import { MirrorPods } from './mirror-pods.js';
import { StaticPodReader } from './static-pods.js';
import { UrlSource } from './url-source.js';

const names = namesOf('kubernetes');
const annotations = podAnnotations(names);
const reader = new StaticPodReader(names, 'node-1');
const manifest = (name: string, more = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers: [{name: c, image: busybox}]\n${more}`;
const origin = { source: 'file', place: '/etc/a.yaml' } as const;
const nameOf = (pod: Pod) => pod.metadata?.name;

describe('a static pod', () => {
  it('becomes a pod of the node', () => {
    const pod = reader.read(manifest('web'), origin);
    expect(pod.metadata).toMatchObject({ name: 'web-node-1', namespace: 'default' });
    expect(pod.metadata?.uid).toMatch(/^[0-9a-f]{32}$/);
    expect(pod.metadata?.annotations).toEqual({
      'kubernetes.io/config.hash': pod.metadata?.uid,
      'kubernetes.io/config.source': 'file',
    });
    expect(pod.spec).toMatchObject({ nodeName: 'node-1', restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' });
    expect(pod.spec?.tolerations).toEqual([{ operator: 'Exists', effect: 'NoExecute' }]);
    expect(pod.spec?.containers?.[0]).toMatchObject({ imagePullPolicy: 'Always' });
  });

  it('has another uid for each content, place and node, and the same for the same', () => {
    const uid = (text: string, place = '/a', on = reader) => on.read(text, { source: 'file', place }).metadata?.uid;
    const uids = [
      uid(manifest('a')),
      uid(manifest('a', '  hostNetwork: true')),
      uid(manifest('a'), '/b'),
      uid(manifest('a'), '/a', new StaticPodReader(names, 'other')),
    ];
    expect(new Set(uids).size).toBe(4);
    expect(uid(manifest('a'))).toBe(uids[0]);
  });

  it('of a URL has no toleration, and keeps its own uid and namespace', () => {
    const text = manifest('a').replace('{name: a}', '{name: a, namespace: b, uid: u}');
    const pod = reader.read(text, { source: 'http', place: 'http://x' });
    expect(pod.metadata).toMatchObject({ namespace: 'b', uid: 'u' });
    expect(pod.spec?.tolerations).toBeUndefined();
  });

  it.each([
    ['no YAML', '{', 'Flow map'],
    ['another kind', 'apiVersion: v1\nkind: Service\n', 'no Pod'],
    ['a wrong type', manifest('a', '  hostNetwork: 5'), 'hostNetwork'],
    ['an invalid pod', manifest('a').replace('name: c', 'name: C'), 'spec.containers[0].name'],
    ['an invalid name', manifest('../a'), 'metadata.name'],
    [
      'an invalid namespace',
      manifest('a').replace('metadata: {', 'metadata: {namespace: ../../etc, '),
      'metadata.namespace',
    ],
    ['a secret', manifest('a', '  volumes: [{name: v, secret: {secretName: s}}]'), 'a Secret'],
    ['an account', manifest('a', '  serviceAccountName: s'), 'ServiceAccount'],
  ])('is refused for %s', (_what, text, message) => {
    expect(() => reader.read(text, origin)).toThrow(message);
  });

  it('may be one of a list', () => {
    const item = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const list = { apiVersion: 'v1', kind: 'PodList', items: [item('a'), item('b')] };
    expect(reader.readAll(JSON.stringify(list), { source: 'http', place: 'u' }).map(nameOf)).toEqual([
      'a-node-1',
      'b-node-1',
    ]);
  });
});

describe('the source of files', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const source = (path: string, onPods: (pods: readonly Pod[]) => void) =>
    new FileSource({ path, everyMs: 20_000, reader, onPods, logger: silentLogger, clock: new ManualClock() });

  async function podsOf(path = folder): Promise<(string | undefined)[] | undefined> {
    let found: readonly Pod[] | undefined;
    await source(path, (pods) => {
      found = pods;
    }).read();
    return found?.map(nameOf);
  }

  it('takes the files of a folder in their order, and neither dot-files, folders nor broken ones', async () => {
    await writeFile(join(folder, 'b.yaml'), manifest('b'));
    await writeFile(
      join(folder, 'a.json'),
      JSON.stringify({
        ...JSON.parse('{"apiVersion":"v1","kind":"Pod"}'),
        metadata: { name: 'a' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
    );
    await writeFile(join(folder, '.hidden'), manifest('hidden'));
    await writeFile(join(folder, 'broken'), '{');
    await mkdir(join(folder, 'inner'));
    expect(await podsOf()).toEqual(['a-node-1', 'b-node-1']);
  });

  it('may be one file', async () => {
    const path = join(folder, 'a');
    await writeFile(path, manifest('a'));
    expect(await podsOf(path)).toEqual(['a-node-1']);
  });

  it('is empty where there is no such path, and changes nothing where one file is broken', async () => {
    expect(await podsOf(join(folder, 'none'))).toEqual([]);
    await writeFile(join(folder, 'a'), '{');
    expect(await podsOf(join(folder, 'a'))).toBeUndefined();
  });

  it('refuses files of more than 10 MiB', async () => {
    await writeFile(join(folder, 'a'), manifest('a'));
    await writeFile(join(folder, 'b'), `${manifest('b')}#${'x'.repeat(MAX_MANIFEST_BYTES)}`);
    expect(await podsOf()).toEqual(['a-node-1']);
  });

  it('notices changes', async () => {
    const seen: number[] = [];
    const files = new FileSource({
      path: folder,
      everyMs: 600_000,
      reader,
      onPods: (pods) => seen.push(pods.length),
      logger: silentLogger,
      clock: systemClock,
    });
    await files.start();
    await writeFile(join(folder, 'a'), manifest('a'));
    await expect.poll(() => seen.at(-1)).toBe(1);
    files.stop();
  });
});

describe('the source of a URL', () => {
  let server: Server;
  let answer: { status: number; body: string };
  let headers: string | undefined;
  let requests = 0;
  beforeEach(async () => {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      headers = String(request.headers['x-key']);
      response.writeHead(answer.status).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => server.close());

  it('keeps its pods when the answer is no pod', async () => {
    const seen: (string | undefined)[][] = [];
    const clock = new ManualClock();
    answer = { status: 200, body: manifest('a') };
    const url = new UrlSource({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      headers: ['X-Key: v', 'X-Key:w'],
      everyMs: 20_000,
      reader,
      onPods: (pods) => seen.push(pods.map(nameOf)),
      logger: silentLogger,
      clock,
    });
    url.start();
    await expect.poll(() => seen).toEqual([['a-node-1']]);
    expect(headers).toBe('v, w');
    for (const next of [{ status: 500, body: '' }, { status: 200, body: '{' }, answer]) {
      const before = requests;
      answer = next;
      // The interval begins when the answer has been read.
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advance(20_000);
      await expect.poll(() => requests).toBe(before + 1);
    }
    expect(seen).toHaveLength(1);
    answer = { status: 200, body: '' };
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(20_000);
    await expect.poll(() => seen.at(-1)).toEqual([]);
    answer = { status: 200, body: manifest('a') };
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(20_000);
    await expect.poll(() => seen.at(-1)).toEqual(['a-node-1']);
    await url.stop();
    expect(clock.pending).toBe(0);
  });
});

const pod = (name: string, uid: string, more: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: 'default', uid },
  spec: { containers: [{ name: 'c' }] },
  ...more,
});

function desired(sources: ('api' | 'file')[] = ['api', 'file']) {
  const changes: string[] = [];
  const duplicates: (string | undefined)[] = [];
  const pods = new DesiredPods({
    sources,
    annotations,
    onChange: ({ op, pod: changed }: PodChange) => changes.push(`${op} ${changed.metadata?.uid}`),
    onDuplicate: (duplicate) => duplicates.push(duplicate.metadata?.uid),
    clock: new ManualClock(),
  });
  return { pods, changes, duplicates };
}

describe('desired pods', () => {
  it('are merged by source and uid, and changes are told apart', () => {
    const { pods, changes } = desired();
    pods.set('api', [pod('a', '1'), pod('b', '2')]);
    expect(pods.hasSeenAll).toBe(false);
    pods.set('file', []);
    expect(pods.hasSeenAll).toBe(true);
    const deleted = { name: 'b', namespace: 'default', uid: '2', deletionTimestamp: '2023-01-01T00:00:00Z' };
    pods.set('api', [pod('a', '1', { status: { phase: 'Running' } }), pod('b', '2', { metadata: deleted })]);
    pods.set('api', [pod('a', '1', { spec: { activeDeadlineSeconds: 3 }, status: { phase: 'Running' } })]);
    pods.set('api', [pod('a', '1', { spec: { activeDeadlineSeconds: 3 }, status: { phase: 'Running' } })]);
    expect(changes).toEqual(['add 1', 'add 2', 'reconcile 1', 'delete 2', 'remove 2', 'update 1']);
    expect(pods.get('1')?.metadata?.annotations).toEqual({
      'kubernetes.io/config.source': 'api',
      'kubernetes.io/config.seen': '2023-04-11T00:00:00.000000Z',
    });
  });

  it('of one uid from one source are ignored but for the first', () => {
    const { pods, duplicates, changes } = desired();
    for (let read = 0; read < 2; read++) pods.set('file', [pod('a', '1'), pod('b', '1')]);
    expect([duplicates, changes]).toEqual([['1', '1'], ['add 1']]);
    expect(pods.get('1')?.metadata?.name).toBe('a');
  });

  it('of one full name from one source are ignored but for the first', () => {
    const { pods, duplicates } = desired();
    pods.set('file', [pod('a', '1'), pod('a', '2')]);
    expect(duplicates).toEqual(['2']);
    expect(pods.get('2')).toBeUndefined();
  });

  it('hold mirror pods apart', () => {
    const { pods } = desired();
    const metadata = { name: 'a', namespace: 'default', uid: '9', annotations: { [annotations.mirror]: 'h' } };
    pods.set('api', [pod('a', '9', { metadata })]);
    expect([...pods.list()]).toEqual([]);
    expect(pods.get('9')).toBeUndefined();
    expect(pods.mirrorOf('a_default')?.metadata?.uid).toBe('9');
  });
});

describe('mirror pods', () => {
  const static1 = reader.read(manifest('web'), origin);
  const mirrorWith = (hash: string, more = {}): Pod => ({
    metadata: {
      name: 'web-node-1',
      namespace: 'default',
      uid: 'm',
      annotations: { [annotations.mirror]: hash },
      ...more,
    },
  });

  function mirrors(failure?: unknown) {
    const calls: unknown[] = [];
    const client = {
      create: async (_ref: unknown, object: unknown) => {
        calls.push(object);
        return object as never;
      },
      delete: async (_ref: unknown, name: string, body: unknown) => {
        calls.push([name, body]);
        if (failure) throw failure;
        return {};
      },
    };
    return { calls, mirror: new MirrorPods({ client, annotations, nodeName: 'node-1', nodeUid: () => 'n' }) };
  }

  it('are created with the hash and the node as their owner', async () => {
    const { calls, mirror } = mirrors();
    await mirror.ensure(static1, undefined);
    expect(calls).toMatchObject([
      {
        metadata: {
          name: 'web-node-1',
          annotations: { 'kubernetes.io/config.mirror': static1.metadata?.uid },
          ownerReferences: [{ kind: 'Node', name: 'node-1', uid: 'n', controller: true }],
        },
      },
    ]);
    expect((calls[0] as Pod).metadata?.uid).toBeUndefined();
  });

  it('that are right are left alone', async () => {
    const { calls, mirror } = mirrors();
    await mirror.ensure(static1, mirrorWith(static1.metadata?.uid ?? ''));
    expect(calls).toEqual([]);
  });

  it('that differ or are being deleted are deleted and created again', async () => {
    for (const old of [mirrorWith('old'), mirrorWith(static1.metadata?.uid ?? '', { deletionTimestamp: 'now' })]) {
      const { calls, mirror } = mirrors();
      await mirror.ensure(static1, old);
      expect(calls[0]).toEqual(['web-node-1', { gracePeriodSeconds: 0, preconditions: { uid: 'm' } }]);
      expect(calls).toHaveLength(2);
    }
  });

  it('that are gone already are created again', async () => {
    const { status } = notFound({ group: '', resource: 'pods' }, 'web-node-1');
    const { calls, mirror } = mirrors(new ApiError(status));
    await mirror.ensure(static1, mirrorWith('old'));
    expect(calls).toHaveLength(2);
  });
});
