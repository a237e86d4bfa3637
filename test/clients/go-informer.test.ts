import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, findPrograms, waitUntil } from '../../tools/up/index.js';
import { Api, type ApiList, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { buildInformer, InformerProcess } from './go-informer/informer-process.js';

const OBJECTS = 5_000;
const WRITERS = 4;
const NAMESPACE = 'informed';
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const CATCH_UP_MS = 30_000;

/** Versions by "namespace/name". */
type Versions = ReadonlyMap<string, string>;

describe('a shared informer of client-go over 5,000 objects', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  const informers: InformerProcess[] = [];

  beforeAll(async () => {
    dir = makeServerFolder('orch-go-informer-');
    const program = await buildInformer(dir);
    cluster = await startCluster({ dir });
    api = new Api(cluster);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    expect((await api.post('/api/v1/namespaces', namespace)).status).toBe(201);
    await Promise.all(ranges(64).map((names) => createAll(api, names)));
    for (const [index, contentType] of ['application/json', 'application/vnd.kubernetes.protobuf'].entries()) {
      const { kubeconfig } = cluster;
      const logFile = join(dir, `informer-${index}.log`);
      informers.push(new InformerProcess({ program, kubeconfig, namespace: NAMESPACE, contentType, logFile }));
    }
  }, 180_000);

  afterAll(async () => {
    await Promise.all(informers.map((informer) => informer.stop()));
    api?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Waits until every informer has applied a change that is made now, so all before it too; returns its version. */
  async function caughtUp(after: string): Promise<string> {
    const { metadata } = await create(api, `mark-${after}`);
    const version = BigInt(metadata.resourceVersion);
    for (const informer of informers) {
      const reached = async () => BigInt((await informer.status()).version || 0) >= version;
      await waitUntil(`a change is seen after ${after}`, CATCH_UP_MS, reached);
    }
    return metadata.resourceVersion;
  }

  test('stays equal to the database while every gateway is restarted and one is killed, with no second list', async () => {
    const [first, second] = cluster.gateways;
    if (!first || !second) throw new Error('two gateways are needed');
    for (const informer of informers) {
      await waitUntil('the informer has synced', CATCH_UP_MS, async () => (await informer.status()).synced);
      expect(await informer.status()).toMatchObject({ count: OBJECTS, lists: 1 });
    }

    const writers = new Writers(api);
    await first.restart();
    await caughtUp('the-first-restart');
    await second.restart();
    await caughtUp('the-second-restart');
    // Every stream has left the second for the first by now, so this cuts all of them.
    await first.kill('SIGKILL');
    await caughtUp('the-kill');
    await first.start();
    const written = await writers.stop();
    expect(written).toBeGreaterThan(0);

    const version = await caughtUp('all');
    const listed = await listedVersions(api);
    expect(differences(listed, storedVersions(cluster.postgresUrl)), 'list and database').toEqual([]);
    for (const informer of informers) {
      const status = await informer.status();
      expect(status).toMatchObject({ version, lists: 1, gone410: 0, count: listed.size });
      // Each time its stream ended, it went on with a new one.
      expect(status.watches).toBeGreaterThanOrEqual(3);
      const held = new Map(Object.entries(await informer.objects()));
      expect(differences(held, listed), 'informer and list').toEqual([]);
      expect(status.hash).toBe(hashOf(listed));
    }
  }, 120_000);
});

/** The names of all objects, in so many parts. */
function ranges(parts: number): string[][] {
  return Array.from({ length: parts }, (_, part) => {
    const size = Math.ceil((OBJECTS - part) / parts);
    return Array.from({ length: size }, (_, index) => `object-${part + index * parts}`);
  });
}

async function create(api: Api, name: string): Promise<ApiObject> {
  const answer = await api.post(PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '0' } });
  expect(answer.status, answer.text).toBe(201);
  return answer.json();
}

async function createAll(api: Api, names: readonly string[]): Promise<void> {
  for (const name of names) await create(api, name);
}

/** Create, delete and patch without a pause, each writer objects of its own, until stopped. */
class Writers {
  readonly #api: Api;
  readonly #work: Promise<number>[];
  #stopped = false;

  constructor(api: Api) {
    this.#api = api;
    this.#work = ranges(WRITERS).map((names, writer) => this.#write(names, writer));
    // A failure is told by `stop`.
    for (const work of this.#work) work.catch(() => {});
  }

  /** Resolves with the number of writes; rejects when one of them failed. */
  async stop(): Promise<number> {
    this.#stopped = true;
    return (await Promise.all(this.#work)).reduce((sum, writes) => sum + writes, 0);
  }

  async #write(names: string[], writer: number): Promise<number> {
    let step = 0;
    for (; !this.#stopped; step++) {
      if (step % 5 === 0) {
        const name = `made-by-${writer}-${step}`;
        await create(this.#api, name);
        names.push(name);
      } else if (step % 5 === 1) {
        const answer = await this.#api.delete(`${PATH}/${names.shift()}`);
        expect(answer.status, answer.text).toBe(200);
      } else {
        const name = names[(step * 7919) % names.length];
        const answer = await this.#api.patch(`${PATH}/${name}`, 'merge', { data: { a: `${step}` } });
        expect(answer.status, answer.text).toBe(200);
      }
    }
    return step;
  }
}

async function listedVersions(api: Api): Promise<Versions> {
  const { items } = (await api.get(PATH)).json<ApiList>();
  return new Map(items.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]));
}

/** The rows of the table, read past every server. */
function storedVersions(postgresUrl: string): Versions {
  const psql = join(dirname(findPrograms().postgres), 'psql');
  const query = `SELECT o.namespace || '/' || o.name, o.version
    FROM cluster.object o JOIN cluster.resource_type t ON t.id = o.type
    WHERE t.api_group = '' AND t.resource = 'configmaps' AND o.namespace = '${NAMESPACE}'`;
  const args = [postgresUrl, '-X', '-At', '-F', '\t', '-c', query];
  const text = execFileSync(psql, args, { encoding: 'utf8', maxBuffer: 2 ** 24 });
  const rows = text.trimEnd().split('\n');
  return new Map(rows.map((row) => row.split('\t') as [string, string]));
}

function differences(one: Versions, other: Versions): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys]
    .filter((key) => one.get(key) !== other.get(key))
    .map((key) => `${key}: ${one.get(key) ?? 'absent'} and ${other.get(key) ?? 'absent'}`);
}

/** As `hashOf` of status.go. */
function hashOf(versions: Versions): string {
  const lines = [...versions].map(([key, version]) => `${key}@${version}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
