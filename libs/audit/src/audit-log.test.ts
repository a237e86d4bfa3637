import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOptions, type Logger, Metrics, silentLogger } from '@orch/runtime';
import { Auditor } from '@orch/serving';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditLog, openAuditLog } from './audit-log.js';
import { auditOptions } from './audit-options.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const POLICY = 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n';

let dir: string;
let api: TestApi;
let policy: string;
const audits: AuditLog[] = [];
const servers: TestServer[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-'));
  policy = join(dir, 'policy.yaml');
  await writeFile(policy, POLICY);
  api = await testApi();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const audit of audits.splice(0)) await audit.close();
  api.close();
  await rm(dir, { recursive: true });
});

const OPTIONS = defineOptions(auditOptions);

async function open(args: readonly string[], logger: Logger = silentLogger) {
  const { values } = OPTIONS.parse(args);
  const metrics = new Metrics();
  const database = async () => {
    throw new Error('nobody wants it');
  };
  const audit = await openAuditLog({
    options: values,
    database,
    dropsOldEvents: true,
    scheme: api.deps.scheme,
    metrics,
    logger,
  });
  audits.push(audit);
  return { audit, metrics };
}

async function serve(args: readonly string[]) {
  const { audit, metrics } = await open([`--audit-policy-file=${policy}`, ...args]);
  if (!audit.recording) throw new Error('nothing is recorded');
  const auditor = new Auditor({ ...audit.recording, scheme: api.deps.scheme });
  const server = await openServer(listenerOf(api, { auditor }));
  servers.push(server);
  return { ask: server.ask, metrics, audit };
}

const create = (name: string) => ({
  method: 'POST',
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
});

describe('the audit log of a process', () => {
  it('is there once an answer is, where requests wait for it', async () => {
    const file = join(dir, 'new', 'audit.log');
    const { ask } = await serve([`--audit-log-path=${file}`]);
    await ask(PATH, create('a'));
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).stage)).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  it('is whole once the process has ended, where they do not', async () => {
    const file = join(dir, 'audit.log');
    const { ask, audit } = await serve([
      `--audit-log-path=${file}`,
      '--audit-log-mode=batch',
      '--audit-log-format=legacy',
    ]);
    await ask(PATH, create('a'));
    await audit.close();
    expect(await readFile(file, 'utf8')).toMatch(/^.* AUDIT: .*\n.* AUDIT: .*response="201"\n$/);
  });

  it.each([
    ['blocking-strict', 500, 2],
    ['blocking', 201, 2],
    ['batch', 201, 2],
  ])('that cannot be written: %s answers %i', async (mode, code, lost) => {
    const { ask, metrics } = await serve(['--audit-log-path=/dev/full', `--audit-log-mode=${mode}`]);
    const { status } = await ask(PATH, create('a'));
    expect(status).toBe(code);
    expect(api.stored('configmaps', 'a') !== undefined).toBe(code === 201);
    const text = async () => (await metrics.text()).body;
    const expected = mode === 'blocking-strict' ? 1 : lost;
    await expect.poll(text).toContain(`apiserver_audit_error_total{plugin="log"} ${expected}\n`);
    expect(await text()).toContain(`apiserver_audit_requests_rejected_total ${code === 500 ? 1 : 0}\n`);
  });

  it('is none without a policy, which is told where somebody wants one, and none without a backend', async () => {
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) };
    expect((await open([], logger)).audit.recording).toBeUndefined();
    expect(warned).toEqual([]);
    expect((await open([`--audit-log-path=${join(dir, 'x')}`], logger)).audit.recording).toBeUndefined();
    expect(warned).toEqual(['no --audit-policy-file is given: nothing is recorded in the audit log']);
    expect((await open([`--audit-policy-file=${policy}`])).audit.recording).toBeUndefined();
  });

  it.each([
    ['--audit-log-version=audit.k8s.io/v1beta1', 'allowed versions are ["audit.orch.io/v1"]'],
    [
      '--audit-log-truncate-max-batch-size=1',
      'invalid audit truncate log max batch size 1, must be greater than max event size',
    ],
    ['--audit-log-batch-throttle-enable', 'invalid audit batch log throttle QPS 0, must be a positive number'],
    ['--audit-webhook-config-file=/nowhere', '/nowhere'],
    ['--audit-policy-file=/nowhere', 'loading audit policy file: failed to read file path "/nowhere"'],
  ])('refuses to be opened with %s', async (option, message) => {
    const args = [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${join(dir, 'audit.log')}`,
      '--audit-log-mode=batch',
    ];
    await expect(open([...args, option])).rejects.toThrow(message);
  });
});
