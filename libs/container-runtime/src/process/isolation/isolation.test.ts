import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerConfig, ContainerSecurity } from '../../containers.js';
import type { SandboxConfig } from '../../sandboxes.js';
import { accountOf } from './accounts.js';
import { capabilitiesOf } from './capabilities.js';
import type { IsolationLevel } from './level.js';
import { makeFolder, placedMounts } from './mounts.js';
import { checkContainer, checkLimits, checkSandbox } from './refusals.js';

const NAMESPACES = { network: 'pod', pid: 'container', ipc: 'pod' } as const;
const security = (more: Partial<ContainerSecurity> = {}): ContainerSecurity => ({ namespaces: NAMESPACES, ...more });
const container = (more: Partial<ContainerConfig> = {}): ContainerConfig => ({
  ...{ metadata: { name: 'c', attempt: 0 }, image: 'i', labels: {}, annotations: {}, logPath: 'c' },
  security: security(),
  ...more,
});
const sandbox = (more: Partial<SandboxConfig> = {}): SandboxConfig => ({
  ...{ metadata: { name: 'p', uid: 'u', namespace: 'n', attempt: 0 }, hostname: 'p', logDirectory: '/l' },
  ...{ labels: {}, annotations: {}, security: { namespaces: NAMESPACES } },
  ...more,
});

let dir: string;
let root: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-isolation-'));
  root = join(dir, 'root');
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:\nweb:x:101:102::/:\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nweb:x:102:\nmore:x:200:web,other\nnone:x:201:other\n');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the account of a container', () => {
  it.each<[string, Partial<ContainerSecurity>, object]>([
    ['', {}, { uid: 0, gid: 0, groups: [] }],
    ['web', {}, { uid: 101, gid: 102, groups: [200] }],
    ['web:none', {}, { uid: 101, gid: 201, groups: [200] }],
    ['101', {}, { uid: 101, gid: 102, groups: [200] }],
    ['5000', {}, { uid: 5000, gid: 0, groups: [] }],
    ['5000:6000', {}, { uid: 5000, gid: 6000, groups: [] }],
    ['web', { runAsUser: 0 }, { uid: 0, gid: 0, groups: [] }],
    ['web', { runAsUser: 7, runAsGroup: 8, supplementalGroups: [9] }, { uid: 7, gid: 8, groups: [9] }],
    ['', { runAsUserName: 'web' }, { uid: 101, gid: 102, groups: [200] }],
  ])('of an image with the user %j and settings %j', async (user, more, account) => {
    expect(await accountOf(root, user, security(more))).toEqual(account);
  });

  it('is an error for names that the image does not have', async () => {
    await expect(accountOf(root, 'nobody', security())).rejects.toMatchObject({ code: 'InvalidArgument' });
    await expect(accountOf(root, 'web:nogroup', security())).rejects.toMatchObject({ code: 'InvalidArgument' });
  });

  it('is read from the files of the image, also where these are links', async () => {
    writeFileSync(join(dir, 'passwd'), 'web:x:0:0::/:\n');
    rmSync(join(root, 'etc/passwd'));
    symlinkSync('../../passwd', join(root, 'etc/passwd'));
    writeFileSync(join(root, 'passwd'), 'web:x:300:300::/:\n');
    expect(await accountOf(root, 'web', security())).toMatchObject({ uid: 300 });
    rmSync(join(root, 'etc/passwd'));
    symlinkSync('/passwd', join(root, 'etc/passwd'));
    expect(await accountOf(root, 'web', security())).toMatchObject({ uid: 300 });
    rmSync(join(root, 'etc/passwd'));
    symlinkSync('passwd', join(root, 'etc/passwd'));
    await expect(accountOf(root, 'web', security())).rejects.toMatchObject({ code: 'InvalidArgument' });
  });
});

describe('mounts', () => {
  const mount = (hostPath: string, containerPath: string) => ({ hostPath, containerPath });

  it('are made at the places that their paths mean within the root', async () => {
    mkdirSync(join(dir, 'outside'));
    symlinkSync(join(dir, 'outside'), join(root, 'link'));
    symlinkSync('../../..', join(root, 'up'));
    const made = await placedMounts(root, [mount(dir, '/link/in'), mount(dir, '/up/in'), mount(dir, '/a/../../b')]);
    const places = made.map(({ containerPath }) => containerPath);
    expect(places).toEqual(expect.arrayContaining([join(dir, 'outside/in'), '/in', '/b']));
    expect(existsSync(join(dir, 'outside/in'))).toBe(false);
    expect(existsSync(join(root, dir, 'outside'))).toBe(true);
  });

  it('come in an order in which none hides another', async () => {
    const made = await placedMounts(root, [mount(dir, '/a/b/c'), mount(dir, '/a'), mount(dir, '/a/b')]);
    expect(made.map(({ containerPath }) => containerPath)).toEqual(['/a', '/a/b', '/a/b/c']);
  });

  it('are refused at links, in the image and in other volumes', async () => {
    symlinkSync('/etc', join(root, 'link'));
    await expect(placedMounts(root, [mount(dir, '/link')])).rejects.toThrow('symbolic link');
    const volume = join(dir, 'volume');
    mkdirSync(volume);
    symlinkSync('/etc', join(volume, 'link'));
    const nested = [mount(volume, '/data'), mount(dir, '/data/link/x')];
    await expect(placedMounts(root, nested)).rejects.toThrow('symbolic link');
  });

  it('need something to mount', async () => {
    await expect(placedMounts(root, [mount(join(dir, 'none'), '/a')])).rejects.toThrow('no such file');
  });

  it('and working directories are made if they are missing', async () => {
    await makeFolder(root, '/srv/app');
    await makeFolder(root, '/srv/app');
    expect(existsSync(join(root, 'srv/app'))).toBe(true);
  });
});

describe('capabilities', () => {
  it('are a few by default, without those that were dropped', () => {
    expect(capabilitiesOf(security())).toContain('CHOWN');
    expect(capabilitiesOf(security())).not.toContain('SYS_ADMIN');
    expect(capabilitiesOf(security({ capabilities: { drop: ['CAP_CHOWN'] } }))).not.toContain('CHOWN');
    expect(capabilitiesOf(security({ capabilities: { drop: ['ALL'], add: ['net_raw'] } }))).toEqual(['NET_RAW']);
  });
});

describe('what processes cannot have is refused', () => {
  const device = { containerPath: '/dev/a', hostPath: '/dev/a', permissions: 'rw' };
  it.each<[string, Partial<ContainerConfig>, IsolationLevel?]>([
    ['securityContext.privileged', { security: security({ privileged: true }) }],
    ['securityContext.seccompProfile', { security: security({ seccomp: { type: 'runtime-default' } }) }],
    ['securityContext.seLinuxOptions', { security: security({ seLinux: {} }) }],
    ['shareProcessNamespace', { security: security({ namespaces: { ...NAMESPACES, pid: 'pod' } }) }],
    ['hostUsers', { security: security({ namespaces: { ...NAMESPACES, users: { uids: [], gids: [] } } }) }],
    ['securityContext.capabilities.add', { security: security({ capabilities: { add: ['SYS_ADMIN'] } }) }],
    ['devices', { devices: [device] }],
    ['devices', { cdiDevices: ['a/b=c'] }],
    ['tty', { tty: true }],
    [
      'volumeMounts.mountPropagation',
      { mounts: [{ hostPath: '/', containerPath: '/a', propagation: 'bidirectional' }] },
    ],
    ['resources.limits.hugepages', { resources: { hugepageLimits: [{ pageSize: '2MB', limit: 1 }] } }],
    ['securityContext.supplementalGroups', { security: security({ supplementalGroups: [1] }) }, 'user-namespaces'],
    ['securityContext.readOnlyRootFilesystem', { security: security({ readOnlyRootFilesystem: true }) }, 'none'],
    ['securityContext.runAsUser', { security: security({ runAsUser: 54_321 }) }, 'none'],
    ['volumeMounts', { mounts: [{ hostPath: '/a', containerPath: '/b' }] }, 'none'],
  ])('%s of a container', (field, more, level = 'namespaces') => {
    checkContainer(container(), level);
    expect(() => checkContainer(container(more), level)).toThrow(expect.objectContaining({ field }));
  });

  it.each<[string, Partial<SandboxConfig>]>([
    ['hostPID', { security: { namespaces: { ...NAMESPACES, pid: 'node' } } }],
    ['securityContext.sysctls', { sysctls: { 'net.core.somaxconn': '1' } }],
    ['runtimeClassName', { runtimeHandler: 'kata' }],
    ['ports.hostPort', { portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIP: '' }] }],
  ])('%s of a sandbox', (field, more) => {
    checkSandbox(sandbox({ portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 80, hostIP: '' }] }));
    expect(() => checkSandbox(sandbox(more))).toThrow(expect.objectContaining({ field }));
  });

  it('limits without control groups', () => {
    checkLimits(container({ resources: { cpuShares: 2, cpuQuota: -1, memoryLimit: 0 } }));
    expect(() => checkLimits(container({ resources: { memoryLimit: 1 } }))).toThrow('resources.limits.memory');
    expect(() => checkLimits(container({ resources: { cpuQuota: 1 } }))).toThrow('resources.limits.cpu');
  });
});
