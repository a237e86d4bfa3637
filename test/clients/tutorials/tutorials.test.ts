import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPrograms, freePorts, postgresServer } from '../../../tools/up/index.js';
import { makeServerFolder } from '../../support/run-folder.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { findGo } from '../go-tools.js';
import { javascriptClient } from '../javascript/javascript-client.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../kubectl.js';
import { pythonClient } from '../python/python-client.js';
import { outputsOf, prepareTutorial, runTutorial, type TutorialSettings } from './tutorial.js';

const TEST_MS = 300_000;
const GO_SETTINGS = ['GOCACHE', 'GOMODCACHE', 'GOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOTOOLCHAIN'];
const GIT_USER = { GIT_AUTHOR_NAME: 'reader', GIT_COMMITTER_NAME: 'reader', EMAIL: 'reader@example.com' };

/** Follows a page in a home of its own, and expects that its commands print what it says. */
async function follow(page: string, settings: Partial<TutorialSettings>): Promise<void> {
  const dir = settings.dir ?? makeServerFolder('orch-tutorial-');
  try {
    const folder = prepareTutorial(dir);
    if (page.endsWith('typescript.md'))
      symlinkSync(join(javascriptClient(), 'node_modules'), join(folder, 'controller-typescript', 'node_modules'));
    const stdout = await runTutorial(page, { env: {}, ...settings, dir });
    for (const output of outputsOf(page)) expect(stdout).toMatch(output);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe('with a server', { timeout: TEST_MS }, () => {
  let server: Standalone;
  let kubectl: Kubectl;
  const env = () => ({ KUBECONFIG: server.kubeconfig });

  beforeAll(async () => {
    const file = findKubectl('1.33');
    server = await startStandalone();
    kubectl = new Kubectl(file, server.kubeconfig);
  }, KUBECTL_BUILD_MS);
  afterEach(async () => {
    await kubectl.ok(['delete', 'crd', 'greetings.example.com', '--ignore-not-found']);
    await kubectl.ok(['delete', 'configmap', 'hello', '--ignore-not-found']);
  });
  afterAll(() => server?.stop());

  test('quick start', () => follow('quick-start.md', { env: env() }));

  test('a controller in Go', async () => {
    const settings = JSON.parse(execFileSync(findGo(), ['env', '-json', ...GO_SETTINGS], { encoding: 'utf8' }));
    await follow('tutorials/controller-go.md', { env: { ...env(), ...settings }, programs: [dirname(findGo())] });
  });

  test('a controller in Python', async () => {
    const python = pythonClient('37.0.2').env;
    await follow('tutorials/controller-python.md', { env: { ...env(), ...python }, installed: ['pip install'] });
  });

  test('a controller in TypeScript', () =>
    follow('tutorials/controller-typescript.md', { env: env(), installed: ['npm install'] }));

  test('GitOps', () => follow('tutorials/gitops.md', { env: { ...env(), ...GIT_USER } }));

  test('many watchers', () => follow('tutorials/many-watchers.md', { env: env() }));
});

test('on your own PostgreSQL', { timeout: TEST_MS }, async () => {
  const dir = makeServerFolder('orch-tutorial-');
  const [port, securePort] = await freePorts(2);
  const postgres = postgresServer({ dir, port: port ?? 0, detached: false });
  await postgres.start();
  try {
    const env = { PGHOST: '127.0.0.1', PGPORT: `${port}`, PGUSER: 'postgres', PORT: `${securePort}` };
    await follow('tutorials/own-postgresql.md', { dir, env, programs: [dirname(findPrograms().postgres)] });
  } finally {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
