import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOptions } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createControlPlane } from './control-plane.js';
import type { ProcessRole } from './control-plane-settings.js';
import { backendOptions, servingOptions } from './options.js';
import { runService } from './run-service.js';
import { checkSettings } from './settings-check.js';

const options = defineOptions({ ...servingOptions, ...backendOptions });
const ROLE: ProcessRole = { name: 'api-server', gatewayUrls: [], housekeeping: true };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function settingsOf(args: readonly string[], role: Partial<ProcessRole> = {}) {
  const { values } = options.parse([`--cert-dir=${join(dir, 'pki')}`, '--secure-port=0', ...args]);
  return { serving: values, backend: values, role: { ...ROLE, ...role } };
}
const check = (args: readonly string[] = [], role: Partial<ProcessRole> = {}) => checkSettings(settingsOf(args, role));
const problemsOf = (args: readonly string[], role: Partial<ProcessRole> = {}) =>
  check(args, role).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  );

describe('what options name', () => {
  it('is fine where it can be used', async () => {
    const file = join(dir, 'tracing.yaml');
    writeFileSync(file, 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n');
    await check([`--tracing-config-file=${file}`, `--audit-log-path=${join(dir, 'audit.log')}`]);
    await check(['--audit-log-path=-', `--audit-policy-file=${policy()}`]);
    expect(existsSync(join(dir, 'audit.log')), 'nothing is written').toBe(false);
  });

  function policy(): string {
    const file = join(dir, 'policy.yaml');
    writeFileSync(file, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
    return file;
  }

  const files = Object.keys(options.definitions).filter((name) => /-file$|^encryption-provider-config$/.test(name));

  it.each(files)('is refused where the file is missing: --%s', async (name) => {
    const [problem] = await problemsOf([`--${name}=${dir}/none`]);
    expect(problem).toMatch(/^(--|certificates|keys of service accounts|NATS)/);
  });

  it.each([
    ['--tracing-config-file', 'kind: Other'],
    ['--admission-control-config-file', 'kind: Other'],
    ['--audit-policy-file', 'kind: Other'],
    ['--audit-webhook-config-file', 'kind: Other'],
    ['--authentication-token-webhook-config-file', 'kind: Other'],
    ['--authorization-webhook-config-file', 'kind: Other'],
    ['--encryption-provider-config', 'kind: Other'],
    ['--token-auth-file', 'a,b'],
    ['--client-ca-file', 'none'],
    ['--service-account-key-file', 'none'],
  ])('is refused where the file says something else: %s', async (option, text) => {
    const file = join(dir, 'other');
    writeFileSync(file, text);
    expect(await problemsOf([`${option}=${file}`])).toHaveLength(1);
  });

  it.each(files)('is left to whoever needs it where it can be read but once: --%s', async (name) => {
    const pipe = join(dir, `pipe-${name}`);
    execFileSync('mkfifo', [pipe]);
    // To open it would be to wait for whoever writes.
    const problems = await problemsOf([`--${name}=${pipe}`, `--root-ca-file=${dir}/none`]);
    expect(problems.filter((line) => !line.includes('root-ca-file') && !line.includes(' needs '))).toEqual([]);
  });

  it('is fine where the log makes its folders itself, and refused where it cannot', async () => {
    expect(await problemsOf([`--audit-log-path=${dir}/a/b/audit.log`])).toEqual([]);
    expect(existsSync(join(dir, 'a'))).toBe(false);
    writeFileSync(join(dir, 'plain'), '');
    expect(await problemsOf([`--audit-log-path=${dir}/plain/b/audit.log`])).toHaveLength(1);
  });

  it('is refused for events in another version', async () => {
    for (const option of ['--audit-log-version', '--audit-webhook-version'])
      expect(await problemsOf([`${option}=audit.orch.io/v2`])).toEqual([expect.stringMatching(`^${option}: invalid`)]);
  });

  it('is refused where nothing can listen', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await problemsOf([`--secure-port=${port}`])).toEqual([
      expect.stringMatching(/^--bind-address and --secure-port: .*EADDRINUSE/),
    ]);
    expect(await problemsOf([`--insecure-port=${port}`])).toEqual([expect.stringMatching(/^--insecure-port: /)]);
    server.close();
    expect(await problemsOf(['--bind-address=192.0.2.1'])).toHaveLength(1);
  });

  it('is told of all at once, a line each', async () => {
    writeFileSync(join(dir, 'other'), '');
    const problems = await problemsOf([
      `--root-ca-file=${dir}/none`,
      '--postgres-url=nowhere',
      `--audit-log-path=${dir}/other/b`,
    ]);
    expect(problems.map((line) => line.replace(/: .*/, ''))).toEqual(['--root-ca-file', 'Error', 'Error']);
    expect(problems.every((line, at) => at === 0 || line.startsWith('Error: --'))).toBe(true);
  });

  it('is refused where gateways would not believe it', async () => {
    const authority = join(dir, 'pki', 'front-proxy-ca.crt');
    await check();
    const args = [`--requestheader-client-ca-file=${authority}`];
    expect(await problemsOf(args)).toEqual([]);
    expect(await problemsOf(args, { gatewayUrls: ['https://x'] })).toEqual([expect.stringMatching(/^--gateway-url/)]);
  });
});

it('is looked at before anything is started', async () => {
  const settings = { ...settingsOf([`--root-ca-file=${dir}/none`]), openStore: vi.fn(), openBus: vi.fn() };
  for (const workers of [1, 2])
    await expect(runService(settings, { workers, workerTimeout: 0 })).rejects.toThrow('--root-ca-file');
  expect([settings.openStore, settings.openBus].flatMap(({ mock }) => mock.calls)).toEqual([]);
});

describe('what is said to admission plugins is judged before the state is opened', () => {
  const started = async (plugin: string, configuration: object) => {
    const file = join(dir, 'admission.yaml');
    const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
    writeFileSync(file, JSON.stringify({ ...head, plugins: [{ name: plugin, configuration }] }));
    const openStore = vi.fn(() => Promise.reject(new Error('the state was opened')));
    const args = [`--admission-control-config-file=${file}`, `--enable-admission-plugins=${plugin}`];
    const { lifecycle } = createControlPlane({ ...settingsOf(args), openStore, openBus: vi.fn() });
    return lifecycle.start();
  };
  const webhooks = (kubeConfigFile: string) => ({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile,
  });

  it.each([
    ['EventRateLimit', { limits: [] }, /^couldn't init admission plugin "EventRateLimit": /],
    [
      'ImagePolicyWebhook',
      { imagePolicy: { kubeConfigFile: '/gone' } },
      /^couldn't init .*"ImagePolicyWebhook": .*gone/,
    ],
    ['MutatingAdmissionWebhook', webhooks('/gone'), /gone/],
    ['ValidatingAdmissionWebhook', webhooks('relative'), /^couldn't init .*"ValidatingAdmissionWebhook": .*absolute/],
  ])('%s: %j', async (plugin, configuration, why) => {
    await expect(started(plugin, configuration)).rejects.toThrow(why);
  });

  it('and where nothing is wrong it is opened', async () => {
    const limits = [{ type: 'Server', qps: 1, burst: 1 }];
    const kind = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' };
    await expect(started('EventRateLimit', { ...kind, limits })).rejects.toThrow('the state was opened');
  });
});
