import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubectl, KUBECTL_BUILD_MS } from '../clients/kubectl.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { examplesOf } from './documents.js';
import { helm } from './helm.js';

const CHART = fileURLToPath(new URL('../clients/helm/chart', import.meta.url));
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const TEST_MS = 60_000;

const OLD_DEPLOYMENT = `apiVersion: extensions/v1beta1
kind: Deployment
metadata: { name: old }
spec: { template: { metadata: { labels: { app: old } }, spec: { containers: [{ name: a, image: a }] } } }
`;
/** Commands that prepare what a page presumes. */
const BEFORE: Readonly<Record<string, string>> = {
  'authorization.md': 'true',
  'service-accounts.md': 'true',
  'quota.md': 'kubectl create namespace app',
  'pod-security.md': 'kubectl get namespace shop || kubectl create namespace shop',
  'flow-control.md': 'true',
  'aggregation.md': 'true',
  'convert.md': 'kubectl create deployment web --image=nginx; kubectl autoscale deployment web --max=2',
};
/** Placeholders of the pages, with their replacements. */
const PLACES: readonly (readonly [string, string])[] = [
  ['caBundle: LS0t…', 'insecureSkipTLSVerify: true'],
  // Nothing answers here.
  ['--for=condition=Available ', '--for=condition=Available=false '],
];

const isShell = (text: string): boolean => /^(kubectl|openssl|orchctl) /.test(text);
const isObject = (text: string): boolean => text.startsWith('apiVersion:');

describe('examples of pages', { timeout: TEST_MS }, () => {
  let dir: string;
  let server: Standalone;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-examples-'));
    mkdirSync(join(dir, 'bin'));
    symlinkSync(findKubectl('1.33'), join(dir, 'bin', 'kubectl'));
    symlinkSync(helm(), join(dir, 'bin', 'helm'));
    mkdirSync(join(dir, 'manifests'));
    for (const file of ['old.yaml', 'manifests/old.yaml']) writeFileSync(join(dir, file), OLD_DEPLOYMENT);
    cpSync(CHART, join(dir, 'web'), { recursive: true });
    server = await startStandalone();
    mkdirSync(join(dir, '.orch'));
    symlinkSync(join(dirname(server.postgresDir), 'pki'), join(dir, '.orch', 'pki'));
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Runs lines as they stand, in a folder of their own. */
  async function shell(script: string, kubeconfig = server.kubeconfig): Promise<void> {
    const path = [join(dir, 'bin'), BIN, process.env.PATH].join(delimiter);
    const env = { PATH: path, HOME: dir, KUBECONFIG: kubeconfig };
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: dir, env });
  }

  test.each(Object.entries(BEFORE))('%s', async (page, before) => {
    const texts = examplesOf(page).map(({ text }) =>
      PLACES.reduce((so, [place, value]) => so.replace(place, value), text),
    );
    const examples = texts.filter((text) => isShell(text) || isObject(text));
    expect(examples).not.toEqual([]);
    await shell(before);
    for (const text of examples) await shell(isShell(text) ? text : `kubectl apply -f - <<'END'\n${text}\nEND`);
  });

  test('policies.md: the policy is one that a server with the options of the page keeps to', async () => {
    const [options] = examplesOf('policies.md');
    const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
    const [, policy = ''] = /^```yaml\n(apiVersion: .*?)^```$/ms.exec(page) ?? [];
    const guarded = await startStandalone({ args: options?.text.split('\n') ?? [] });
    const create = (replicas: number) =>
      shell(`kubectl -n tests create deployment of-${replicas} --image=a --replicas=${replicas}`, guarded.kubeconfig);
    try {
      const lines = [
        'kubectl create namespace tests',
        'kubectl label namespace tests env=test',
        'kubectl -n tests create configmap limits --from-literal=most=3',
        `kubectl apply -f - <<'END'\n${policy}\nEND`,
      ];
      await shell(lines.join('\n'), guarded.kubeconfig);
      await create(3);
      await expect(create(4)).rejects.toThrow('no more than 3');
    } finally {
      await guarded.stop();
    }
  });
});
