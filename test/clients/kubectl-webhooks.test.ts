import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdmissionServer, patching } from '@orch/webhooks/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { kubectlStage } from './kubectl-stage.js';

const WAIT_MS = 60_000;
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }];

describe('kubectl 1.27 and admission webhooks', () => {
  const stage = kubectlStage('1.27');
  let server: AdmissionServer;

  const registered = (kind: 'Mutating' | 'Validating', path: string, sideEffects: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'maps' },
    webhooks: [
      {
        name: `${kind.toLowerCase()}.example.com`,
        clientConfig: server.clientConfig(path),
        rules: RULES,
        sideEffects,
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'app' } },
      },
    ],
  });
  const fileOf = (name: string, object: object) => {
    const file = join(stage.dir, `${name}.json`);
    writeFileSync(file, JSON.stringify(object));
    return file;
  };
  const map = (name: string, data: Readonly<Record<string, string>>) =>
    fileOf(name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'app' }, data });
  /** Standard output and error of a run in `app` that must succeed. */
  const told = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await stage.kubectl.run(['-n', 'app', ...args]);
    expect(code, stderr).toBe(0);
    return { stdout, stderr };
  };

  beforeAll(async () => {
    server = await AdmissionServer.start();
    server.answer('/mutate', ({ request }) =>
      request.object ? patching([{ op: 'add', path: '/metadata/labels', value: { team: 'a' } }]) : {},
    );
    server.answer('/validate', ({ request: { object, operation } }) => {
      if (operation === 'DELETE')
        return { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'kept' } };
      const { size } = object.data ?? {};
      if (size === 'huge') return { allowed: false, status: { message: 'too large' } };
      return size === 'large' ? { warnings: ['that is large'] } : {};
    });
    const files = [
      fileOf('mutating', registered('Mutating', '/mutate', 'NoneOnDryRun')),
      fileOf('validating', registered('Validating', '/validate', 'None')),
    ];
    await stage.kubectl.ok(['apply', ...files.flatMap((file) => ['-f', file])]);
    const probe = ['create', 'configmap', 'probe', '--dry-run=server', '-o', 'jsonpath={.metadata.labels.team}'];
    await waitUntil('both are asked', WAIT_MS, async () => {
      const team = await stage.app(...probe);
      return team === 'a' && server.calls('/validate').length > 0;
    });
  });
  afterAll(() => server?.close());

  test('shows what is registered', async () => {
    for (const kind of ['mutating', 'validating']) {
      const rows = await stage.kubectl.ok(['get', `${kind}webhookconfigurations`]);
      expect(rows).toMatch(/^NAME +WEBHOOKS +AGE\nmaps +1 +\S+\n$/);
      const described = await stage.kubectl.ok(['describe', `${kind}webhookconfiguration`, 'maps']);
      expect(described).toContain(`${kind}.example.com`);
    }
  });

  test('shows what a webhook warns of, beside what is done', async () => {
    const { stdout, stderr } = await told('apply', '-f', map('large', { size: 'large' }));
    expect(stdout).toBe('configmap/large created\n');
    expect(stderr).toBe('Warning: that is large\n');
    expect(await stage.app('get', 'configmap', 'large', '-o', 'jsonpath={.metadata.labels.team}')).toBe('a');
    const quiet = await told('apply', '-f', map('small', { size: 'small' }));
    expect(quiet.stderr).toBe('');
  });

  test('makes errors of warnings where it is told to', async () => {
    const { code, stderr } = await stage.kubectl.run([
      '-n',
      'app',
      'annotate',
      'configmap',
      'large',
      'a=b',
      '--warnings-as-errors',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('Warning: that is large');
    expect(stderr).toContain('error: 1 warning received');
  });

  test('shows why a webhook refuses', async () => {
    const refused = await stage.kubectl.refused(['create', '-f', map('huge', { size: 'huge' })]);
    expect(refused).toContain('admission webhook "validating.example.com" denied the request: too large');
    expect(refused).toMatch(/^Error from server/);
    const kept = await stage.kubectl.refused(['-n', 'app', 'delete', 'configmap', 'small']);
    expect(kept).toBe(
      'Error from server (Forbidden): admission webhook "validating.example.com" denied the request: kept\n',
    );
    const patched = await stage.kubectl.refused([
      '-n',
      'app',
      'patch',
      'configmap',
      'small',
      '--type=merge',
      '-p',
      '{"data":{"size":"huge"}}',
    ]);
    expect(patched).toContain('denied the request: too large');
    expect(await stage.app('get', 'configmap', 'small', '-o', 'jsonpath={.data.size}')).toBe('small');
  });

  test('--dry-run=server asks webhooks, who are told that it is one', async () => {
    server.calls('/mutate').length = 0;
    const labels = 'jsonpath={.metadata.labels.team}';
    const dry = ['--dry-run=server', '-o', labels];
    expect(await stage.app('create', 'configmap', 'dry', '--from-literal=size=large', ...dry)).toBe('a');
    expect(server.calls('/mutate').map(({ review: { request } }) => request.dryRun)).toEqual([true]);
    const refused = await stage.kubectl.refused(['create', '--dry-run=server', '-f', map('huge', { size: 'huge' })]);
    expect(refused).toContain('denied the request: too large');
    expect(await stage.kubectl.refused(['-n', 'app', 'get', 'configmap', 'dry'])).toContain('not found');
    const { stderr } = await told('apply', '--server-side', '--dry-run=server', '-f', map('large', { size: 'large' }));
    expect(stderr).toContain('Warning: that is large');
  });

  test('diff shows what webhooks would make of it, and asks them only so', async () => {
    server.calls('/mutate').length = 0;
    const { code, stdout } = await stage.kubectl.run(['diff', '-f', map('later', { size: 'small' })]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\+ +team: a$/m);
    expect(new Set(server.calls('/mutate').map(({ review: { request } }) => request.dryRun))).toEqual(new Set([true]));
  });

  test('is told what a webhook may not say of itself', async () => {
    const object = registered('Validating', '/validate', 'Some');
    const refused = await stage.kubectl.refused([
      'create',
      '-f',
      fileOf('wrong', { ...object, metadata: { name: 'wrong' } }),
    ]);
    expect(refused).toContain(
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    );
  });
});
