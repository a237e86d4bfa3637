import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findKubectl, KUBECTL_BUILD_MS } from '../clients/kubectl.js';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { examplesOf } from './documents.js';

/** `orch` and `orchctl`, as npm installs them. */
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIG = 'encryption.yaml';
const TEST_MS = 120_000;

/** The first example of a page that begins so, without its last line, which goes on with something of the reader's. */
function example(page: string, beginning: string): { readonly script: string; readonly last: string } {
  const found = examplesOf(page).find(({ text }) => text.startsWith(beginning));
  const lines = found?.text.split('\n') ?? [];
  const last = lines.pop() ?? '';
  expect(lines.length, `${page}: ${beginning}`).toBeGreaterThan(0);
  return { script: lines.join('\n'), last };
}

let dir: string;
let server: Standalone;
let api: Api;
/** The options of `orch standalone` as encryption.md starts it. */
let options: readonly string[];

/** Runs lines as they stand, in a folder of their own. @returns what they print */
async function shell(script: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { PATH: [join(dir, 'bin'), BIN, process.env.PATH].join(delimiter), HOME: dir, ...more };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: dir, env });
  return stdout;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-walk-'));
  mkdirSync(join(dir, 'bin'));
  symlinkSync(findKubectl('1.33'), join(dir, 'bin', 'kubectl'));
  const { script, last } = example('encryption.md', 'umask 077\ncat > encryption.yaml');
  await shell(script);
  const [program, command, ...rest] = last.split(' ');
  expect([program, command]).toEqual(['orch', 'standalone']);
  options = rest.map((option) => option.replace(CONFIG, join(dir, CONFIG)));
  server = await startStandalone({ args: options.filter((option) => !option.startsWith('--naming=')) });
  api = new Api(server);
}, KUBECTL_BUILD_MS);
afterAll(async () => {
  api?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('a new operator, page by page', { timeout: TEST_MS }, () => {
  test('encryption.md: what is stored of Secrets tells nothing, and all of it is encrypted as the file says', async () => {
    expect(options).toContain('--naming=kubernetes');
    const made = await api.post(SECRETS, { metadata: { name: 'a' }, stringData: { password: 'hidden' } });
    expect(made.status, made.text).toBe(201);
    const url = (await findEmbeddedPostgres(server.postgresDir)) ?? '';
    const [row] = await sql(url, `SELECT encode(body, 'escape') AS body FROM object WHERE name = 'a'`);
    expect(row?.body).toContain('2026-11');
    expect(row?.body).not.toContain(Buffer.from('hidden').toString('base64'));
    const rewrite = examplesOf('encryption.md').find(({ text }) => text.startsWith('ORCH_POSTGRES_URL='));
    const [line = ''] = rewrite?.text.split('\n') ?? [];
    const [, command = ''] = /^ORCH_POSTGRES_URL=postgres:\/\/… (orchctl storage rewrite .*)$/.exec(line) ?? [];
    expect(await shell(command, { ORCH_POSTGRES_URL: url })).toMatch(/^all: 0 written, \d+ as they should be$/m);
  });

  test('certificates.md: a certificate is asked for, approved, and let in', async () => {
    const { script, last } = example('certificates.md', 'openssl req');
    expect(last).toBe('kubectl --user=jane …');
    const env = { KUBECONFIG: server.kubeconfig };
    await shell(script, env);
    const asked = shell(last.replace('…', 'get secrets'), env);
    await expect(asked).rejects.toThrow('secrets is forbidden: User "jane" cannot list resource');
  });

  test('monitoring.md: the configuration of traces is one that a server takes', async () => {
    const tracing = examplesOf('monitoring.md').find(({ text }) => text.includes('kind: TracingConfiguration'));
    const file = join(dir, 'tracing.yaml');
    writeFileSync(file, tracing?.text ?? '');
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ samplingRatePerMillion: 1000 });
    const traced = await startStandalone({ args: [`--tracing-config-file=${file}`] });
    await traced.stop();
  });
});
