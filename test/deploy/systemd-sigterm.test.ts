import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeKms } from '@orch/encryption/testing';
import { startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import { SmallDisk } from '../faults/stage/tmpfs.js';
import { Api } from '../support/api.js';
import { nameOf, RawStandalone, titleOf } from './raw-standalone.js';

/** Documented maximum duration of a shutdown. */
const END_MS = 10_000;
const WAIT_MS = 60_000;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

let dir: string;

/** Kills a process that may have ended with those before it. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Data of a server that ended in order, and of one that was killed with its database. */
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-sigterm-'));
  chmodSync(dir, 0o711);
  const first = await RawStandalone.start(join(dir, 'ended'));
  await serves(first);
  first.child.kill('SIGTERM');
  expect(await first.ended()).toBe(0);
  execFileSync('cp', ['-a', join(dir, 'ended'), join(dir, 'killed')]);
  const second = await RawStandalone.start(join(dir, 'killed'));
  await serves(second);
  const all = second.databaseProcesses();
  for (const pid of [second.pid, ...all]) kill(pid);
  await waitUntil('all are gone', WAIT_MS, () => !all.some(isAlive));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const serves = (server: RawStandalone) =>
  waitUntil('it serves', WAIT_MS, () => {
    if (server.hasEnded) throw new Error(server.log);
    return server.log.includes('serving on');
  });

/** A server and the processes beside it. */
class Scene {
  readonly dataDir = mkdtempSync(join(dir, 'scene-'));
  readonly #clean: (() => unknown)[] = [];

  /** To be undone at the end, the last first. */
  later(undo: () => unknown): void {
    this.#clean.push(undo);
  }

  async end(): Promise<void> {
    for (const undo of this.#clean.reverse()) await undo();
  }

  /** Begins with the data of another server. */
  from(data: 'ended' | 'killed'): void {
    execFileSync('cp', ['-a', `${join(dir, data)}/.`, this.dataDir]);
  }

  async start(...args: readonly string[]): Promise<RawStandalone> {
    const server = await RawStandalone.start(this.dataDir, ...args);
    this.later(() => {
      for (const pid of server.databaseProcesses()) process.kill(pid, 'SIGKILL');
      if (!server.hasEnded) server.child.kill('SIGKILL');
    });
    return server;
  }

  /** Starts it, and waits until it serves. */
  async serve(...args: readonly string[]): Promise<{ server: RawStandalone; api: Api }> {
    const tokens = `${this.dataDir}.csv`;
    writeFileSync(tokens, 'tester,tester,tester,"system:masters"\n');
    const server = await this.start(`--token-auth-file=${tokens}`, ...args);
    await serves(server);
    const api = new Api({ url: server.plainUrl, token: 'tester' });
    this.later(() => api.close());
    return { server, api };
  }

  /** A server that takes connections and never answers. */
  async silent(at: string | number): Promise<Server> {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(at as number, resolve));
    this.later(() => server.close());
    return server;
  }

  /** Stops a process of a database where it stands, as a disk that does not answer does. */
  async holdBack(server: RawStandalone, isOne: (pid: number) => boolean): Promise<RawStandalone> {
    await waitUntil('it is held back', WAIT_MS, () => {
      if (server.hasEnded) throw new Error(server.log);
      const pid = server.databaseProcesses().find(isOne);
      if (pid !== undefined) process.kill(pid, 'SIGSTOP');
      return pid !== undefined;
    });
    return server;
  }

  /** Options by which every request is recorded by a webhook. */
  recordedBy(port: number): string[] {
    const [policy, kubeconfig] = [`${this.dataDir}.policy`, `${this.dataDir}.kubeconfig`];
    writeFileSync(
      policy,
      JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
    );
    const clusters = [{ name: 'audit', cluster: { server: `http://127.0.0.1:${port}` } }];
    const contexts = [{ name: 'audit', context: { cluster: 'audit', user: 'audit' } }];
    const users = [{ name: 'audit', user: {} }];
    writeFileSync(kubeconfig, JSON.stringify({ clusters, contexts, users, 'current-context': 'audit' }));
    const files = [`--audit-policy-file=${policy}`, `--audit-webhook-config-file=${kubeconfig}`];
    return [...files, '--audit-webhook-batch-max-wait=10ms'];
  }

  encryptedBy(endpoint: string): string {
    const file = `${this.dataDir}.json`;
    const kms = { apiVersion: 'v2', name: 'hangs', endpoint, timeout: '60s' };
    const resources = [{ resources: ['*.*'], providers: [{ kms }] }];
    const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
    writeFileSync(file, JSON.stringify(configuration));
    return `--encryption-provider-config=${file}`;
  }
}

const isInitdb = (pid: number) => nameOf(pid) === 'initdb';
const isPostmaster = (pid: number) => nameOf(pid) === 'postgres';
const isRecovering = (pid: number) => /^postgres: startup/.test(titleOf(pid));
const isMigrating = (pid: number) => /^postgres: .* CREATE/.test(titleOf(pid));

/** Resolves with a server in that state. */
const STATES: Readonly<Record<string, (scene: Scene) => Promise<RawStandalone>>> = {
  async 'while it makes its database'(scene) {
    return scene.holdBack(await scene.start(), isInitdb);
  },
  async 'while PostgreSQL starts'(scene) {
    scene.from('ended');
    return scene.holdBack(await scene.start(), isPostmaster);
  },
  async 'while PostgreSQL recovers from a crash'(scene) {
    scene.from('killed');
    return scene.holdBack(await scene.start(), isRecovering);
  },
  async 'while the database is migrated'(scene) {
    const { url, stop } = await startEmbeddedPostgres({ dataDir: join(scene.dataDir, 'postgres') });
    const body = 'LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(600); END$$';
    await sql(url, `CREATE FUNCTION public.wait() RETURNS event_trigger ${body}`);
    await sql(url, 'CREATE EVENT TRIGGER wait ON ddl_command_start EXECUTE FUNCTION public.wait()');
    await stop();
    const server = await scene.start();
    await waitUntil('it migrates', WAIT_MS, () => server.databaseProcesses().some(isMigrating));
    return server;
  },
  async 'while a key management service does not answer, at the start'(scene) {
    scene.from('ended');
    const socket = `${scene.dataDir}.kms`;
    const asked = once(await scene.silent(socket), 'connection');
    const server = await scene.start(scene.encryptedBy(`unix://${socket}`));
    await asked;
    return server;
  },
  async 'while a key management service does not answer, later'(scene) {
    scene.from('ended');
    const kms = new FakeKms(`${scene.dataDir}.kms`);
    await kms.start();
    scene.later(() => kms.stop());
    const { server, api } = await scene.serve(scene.encryptedBy(kms.endpoint));
    kms.hanging.add('Status').add('Encrypt').add('Decrypt');
    void api.post(CONFIG_MAPS, { metadata: { name: 'a' } }).catch(() => undefined);
    return server;
  },
  async 'while its disk is full'(scene) {
    const folder = join(scene.dataDir, 'postgres');
    mkdirSync(folder);
    const disk = SmallDisk.mount(folder, 400);
    scene.later(() => disk.unmount());
    const { server, api } = await scene.serve();
    const data = { a: 'x'.repeat(1 << 20) };
    await waitUntil('writes are refused', WAIT_MS, async () => {
      disk.fill();
      return (await api.post(CONFIG_MAPS, { metadata: { generateName: 'a-' }, data })).status >= 500;
    });
    return server;
  },
  async 'while watches are open, lists are not read, and a webhook does not answer'(scene) {
    scene.from('ended');
    const { server, api } = await scene.serve();
    const data = { a: 'x'.repeat(1 << 20) };
    for (let i = 0; i < 12; i++) await api.post(CONFIG_MAPS, { metadata: { name: `large-${i}` }, data });
    const watch = await api.watch(`${CONFIG_MAPS}?watch=1`);
    const unread = await api.open('GET', CONFIG_MAPS, {});
    scene.later(() => watch.close());
    scene.later(() => unread.destroy());
    const hook = await scene.silent(0);
    const called = once(hook, 'connection');
    await api.post(HOOKS, hookAt((hook.address() as { port: number }).port));
    // Asked as soon as the server knows of it.
    let isCalled = false;
    void called.then(() => {
      isCalled = true;
    });
    const secret = { metadata: { generateName: 'a-' } };
    await waitUntil('the webhook is called', WAIT_MS, () => {
      void api.post('/api/v1/namespaces/default/secrets', secret).catch(() => undefined);
      return isCalled;
    });
    return server;
  },
  async 'while an audit webhook does not answer'(scene) {
    scene.from('ended');
    const hook = await scene.silent(0);
    const called = once(hook, 'connection');
    const { server, api } = await scene.serve(...scene.recordedBy((hook.address() as { port: number }).port));
    await api.get(CONFIG_MAPS);
    await called;
    return server;
  },
};

const hookAt = (port: number) => ({
  metadata: { name: 'silent' },
  webhooks: [
    {
      name: 'silent.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 30,
      clientConfig: { url: `https://127.0.0.1:${port}/` },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
    },
  ],
});

/** Puts a server into a state, and looks at how it ends. */
async function expectEnd(
  enter: (scene: Scene) => Promise<RawStandalone>,
  signal: (pid: number) => void,
): Promise<void> {
  const scene = new Scene();
  try {
    const server = await enter(scene);
    const began = performance.now();
    signal(server.pid);
    const code = await server.ended();
    const took = Math.round(performance.now() - began);
    const left = server.databaseProcesses();
    expect({ code, isLate: took > END_MS && took, left }, server.log).toEqual({ code: 0, isLate: false, left: [] });
  } finally {
    await scene.end();
  }
}

// They wait most of the time.
test.concurrent.each(Object.entries(STATES))('SIGTERM %s ends it in order, within ten seconds', (_, enter) =>
  expectEnd(enter, (pid) => process.kill(pid, 'SIGTERM')),
);

/** A terminal sends it to whatever was started from it, children too. */
test.concurrent.each(['while it makes its database', 'while a key management service does not answer, later'])(
  'an interrupt from the terminal %s does the same',
  (name) => expectEnd(STATES[name] ?? (() => Promise.reject()), (pid) => process.kill(-pid, 'SIGINT')),
);

test.concurrent('a second SIGTERM ends it at once, and PostgreSQL behind it', async () => {
  const scene = new Scene();
  try {
    scene.from('ended');
    const { server } = await scene.serve('--shutdown-delay-duration=60s');
    server.child.kill('SIGTERM');
    await waitUntil('it shuts down', WAIT_MS, () => server.log.includes('shutting down'));
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(1);
    await waitUntil('PostgreSQL ends', END_MS, () => server.databaseProcesses().length === 0);
  } finally {
    await scene.end();
  }
});
