import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { findKubectl } from '../clients/kubectl.js';
import { examplesOf } from './documents.js';
import { DEPLOY } from './helm.js';
import { packedOrch } from './packed.js';
import { canBoot, SystemdMachine } from './systemd-machine.js';

const ROOT = resolve(DEPLOY, '..');
const INSTALL_MS = 600_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const page = examplesOf('operations.md').find(({ section }) => section === 'Beside systemd');
const [install = '', ...setUp] = (page?.text ?? '').replaceAll('<version>', version).split('\n');

/** npm's way to packages, as this run has it. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(npm_config_(registry|.*cafile|.*proxy)|.*_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name)
        ? [[name, value]]
        : [],
    ),
  );

describe.skipIf(!canBoot)('the commands for systemd, with systemd as the first process', { timeout: 120_000 }, () => {
  let dir: string;
  let machine: SystemdMachine;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-systemd-machine-'));
    machine = new SystemdMachine(dir);
    const here = machine.file('/srv/release');
    mkdirSync(here, { recursive: true });
    cpSync(DEPLOY, join(here, 'deploy'), { recursive: true });
    copyFileSync(await packedOrch(), join(here, `orch-${version}.tgz`));
    mkdirSync(machine.file('/usr/local/bin'), { recursive: true });
    copyFileSync(process.execPath, machine.file('/usr/local/bin/node'));
    copyFileSync(findKubectl('1.33'), machine.file('/usr/local/bin/kubectl'));
    machine.write('/etc/orch/orch.env', 'ORCH_SECURE_PORT=7443\n', 0o600);
    await machine.start();
  }, INSTALL_MS);
  afterAll(async () => {
    await machine?.cut();
    rmSync(dir, { recursive: true, force: true });
  });

  const property = async (name: string) => (await machine.run(`systemctl show orch --value -p ${name}`)).trim();
  const kubectl = (command: string) => machine.run(`kubectl --kubeconfig=/var/lib/orch/kubeconfig ${command}`);

  test('install it, and have it serve when they have ended', { timeout: INSTALL_MS }, async () => {
    expect(setUp).toHaveLength(2);
    const from = (line: string) => `cd /srv/release && ${line}`;
    // Its thousands of files are unpacked beside the cache first: in memory.
    const env = { ...environment(), npm_config_cache: '/tmp/npm' };
    await machine.run(from(install.replace('npm install', 'npm install --prefer-offline')), env, 'outer');
    for (const line of setUp) await machine.run(from(line));
    expect(await property('ActiveState')).toBe('active');
    expect(await property('StatusText')).toMatch(/^Serving on https:.*:7443$/);
    expect(await kubectl('get --raw /readyz')).toBe('ok');
    const { uid, mode } = statSync(machine.file('/var/lib/orch'));
    expect([mode & 0o777, uid]).toEqual([0o700, Number(await machine.run('id -u orch'))]);
    const processes = (await machine.run('ps -o user= -p $(systemctl show orch --value -p MainPID)')).trim();
    expect(processes).toBe('orch');
    expect(await machine.run('journalctl -u orch --no-pager')).toContain('Started orch');
  });

  test('and have it started again when it dies, and with the machine', async () => {
    await kubectl('create configmap kept --from-literal=a=1');
    const data = () => kubectl("get configmap kept -o jsonpath='{.data.a}'");
    expect(await data()).toBe('1');
    await machine.run('systemctl kill --kill-whom=main --signal=KILL orch');
    const isActive = async () => (await property('NRestarts')) === '1' && (await property('ActiveState')) === 'active';
    await waitUntil('the server is started again', 60_000, isActive);
    expect(await data()).toBe('1');
    await machine.cut();
    await machine.start();
    await waitUntil('the server is started', 60_000, async () => (await property('ActiveState')) === 'active');
    expect(await data()).toBe('1');
  });

  test('and end it in order', async () => {
    expect(await property('ActiveState')).toBe('active');
    await machine.run('systemctl stop orch');
    expect(await property('ActiveState')).toBe('inactive');
    expect([await property('Result'), await property('ExecMainStatus')]).toEqual(['success', '0']);
  });
});
