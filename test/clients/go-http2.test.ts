import { type ChildProcessByStdio, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findGo } from './go-tools.js';

const MODULE = fileURLToPath(new URL('./go-informer', import.meta.url));
const WATCHES = 300;
const PATH = '/api/v1/namespaces/default/configmaps';
/** Together more than the 4 MiB that a stream of Go's client takes in unread. */
const BULK = { count: 120, bytes: 100_000 };
const MAX_WAIT_MS = 20_000;
const configMap = (name: string, a = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a } });

/** As the program prints it. */
interface Status {
  readonly connections: number;
  readonly reached: number;
  readonly all: number;
  readonly first: number;
  readonly ended: number;
}

/** The Go program of watches, in a process of its own. */
class Watches {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, kubeconfig: string) {
    const args = [`--kubeconfig=${kubeconfig}`, `--watches=${WATCHES}`];
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line of what it prints. */
  async next(): Promise<Status> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the program has ended');
    return JSON.parse(value) as Status;
  }

  ask(command: 'status' | 'read'): Promise<Status> {
    this.#child.stdin.write(`${command}\n`);
    return this.next();
  }

  stop(): void {
    this.#child.stdin.end('stop\n');
  }
}

let dir: string;
let server: Standalone;
let api: Api;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-go-http2-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  server = await startStandalone();
  api = new Api(server);
}, 120_000);

afterAll(async () => {
  api?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Creates the objects that fill a stream, and the one that most watches are about. */
async function writeAll(): Promise<void> {
  for (let at = 0; at < BULK.count; at++) {
    expect((await api.post(PATH, configMap(`bulk-${at}`, 'x'.repeat(BULK.bytes)))).status).toBe(201);
  }
  expect((await api.post(PATH, configMap('last'))).status).toBe(201);
}

describe('client-go', () => {
  test(`has ${WATCHES} watches on one connection, of which one that is not read holds up no other`, async () => {
    const program = join(dir, 'watches');
    execFileSync(findGo(), ['build', '-ldflags=-s -w', '-o', program, './watches'], {
      cwd: MODULE,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const watches = new Watches(program, server.kubeconfig);
    try {
      expect(await watches.next()).toEqual({ connections: 1, reached: 0, all: 0, first: 0, ended: 0 });
      await writeAll();
      await waitUntil('all that are read have everything', MAX_WAIT_MS, async () => {
        const { reached, all } = await watches.ask('status');
        return reached === WATCHES - 2 && all === BULK.count + 1;
      });
      expect((await api.get('/metrics')).text).toMatch(/^orch_watch_cache_behind\{.*configmaps.*\} 1$/m);
      await watches.ask('read');
      await waitUntil('so has the one that was not', MAX_WAIT_MS, async () => {
        return (await watches.ask('status')).first === BULK.count + 1;
      });
      expect(await watches.ask('status')).toMatchObject({ connections: 1, ended: 0 });
    } finally {
      watches.stop();
    }
  }, 120_000);
});

describe('curl', () => {
  const run = async (version: string, target: string, ...more: string[]) => {
    const caFile = join(dir, 'ca.crt');
    writeFileSync(caFile, server.ca);
    const own = ['-sS', version, '--cacert', caFile, '-H', `Authorization: Bearer ${server.token}`];
    const marker = ['-w', '\n%{http_version} %{http_code}'];
    const { stdout } = await promisify(execFile)('curl', [
      ...own,
      ...marker,
      ...more,
      new URL(target, server.url).href,
    ]);
    const end = stdout.lastIndexOf('\n');
    return { body: stdout.slice(0, end), said: stdout.slice(end + 1) };
  };

  test.each([
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ])('%s', async (flag, version) => {
    expect((await run(flag, '/version')).said).toBe(`${version} 200`);
    expect((await run(flag, `${PATH}/nosuch`)).said).toBe(`${version} 404`);
    const { body, said } = await run(flag, `${PATH}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=kube`);
    expect([body, said]).toEqual(['', `${version} 200`]);
  });

  test('--http2 with a body that is too large hears so', async () => {
    const file = join(dir, 'large');
    writeFileSync(file, 'x'.repeat(4 << 20));
    const large = ['-X', 'POST', '-H', 'Content-Type: application/json', '-d', `@${file}`];
    expect((await run('--http2', PATH, ...large)).said).toBe('2 413');
  });

  test('--http2 without TLS asks for an upgrade, which is passed over, not its body', async () => {
    const body = JSON.stringify(configMap('plain'));
    const post = ['-X', 'POST', '-H', 'Content-Type: application/json', '-d', body];
    expect((await run('--http2', `${server.plainUrl}${PATH}`, ...post)).said).toBe('1.1 201');
  });
});
