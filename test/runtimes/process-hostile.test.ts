import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ContainerConfig, ProcessRuntime, type SandboxConfig } from '@orch/container-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';

const NAMESPACES = { network: 'node', pid: 'container', ipc: 'pod' } as const;
const FOREVER = ['sh', '-c', 'echo begun; sleep 1000'];

let dir: string;
let runtime: ProcessRuntime;
let sandboxId: string;
let sandboxConfig: SandboxConfig;
const cgroup = `/orch-hostile-${process.pid}`;

beforeAll(async () => {
  installForNodes('busybox-static', 'bubblewrap');
  dir = mkdtempSync(join(tmpdir(), 'orch-hostile-'));
  packImages(join(dir, 'images'));
  runtime = await ProcessRuntime.open({ folder: join(dir, 'state'), images: join(dir, 'images') });
  sandboxConfig = {
    ...{ metadata: { name: 'p', uid: 'u', namespace: 'n', attempt: 0 }, hostname: 'p', labels: {}, annotations: {} },
    ...{ logDirectory: join(dir, 'logs'), security: { namespaces: NAMESPACES }, cgroupParent: cgroup },
  };
  mkdirSync(join(dir, 'logs'));
  sandboxId = await runtime.runSandbox(sandboxConfig);
});

afterAll(async () => {
  await runtime.removeSandbox(sandboxId);
  await removeEmptiedGroup(basename(cgroup));
  rmSync(dir, { recursive: true, force: true });
});

let count = 0;
async function started(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
  const name = `c${++count}`;
  const config: ContainerConfig = {
    ...{ metadata: { name, attempt: 0 }, image: IMAGES.busybox, command, labels: {}, annotations: {} },
    ...{ logPath: `${name}.log`, security: { namespaces: NAMESPACES }, ...more },
  };
  const id = await runtime.createContainer({ sandboxId, config, sandboxConfig });
  await runtime.startContainer(id);
  return id;
}

const logOf = async (id: string) => readFileSync((await runtime.containerStatus(id)).logPath, 'utf8');
const stateOf = async (id: string) => (await runtime.containerStatus(id)).state;
const progressOf = (id: string) => JSON.parse(readFileSync(join(dir, 'state/containers', id, 'progress.json'), 'utf8'));

describe('a container that is a process', () => {
  it('ends with its supervisor, also as another user than root', async () => {
    const id = await started(FOREVER, { security: { namespaces: NAMESPACES, runAsUser: 1000 } });
    const { pid, supervisor } = progressOf(id);
    await expect.poll(() => logOf(id)).toContain('begun');
    process.kill(supervisor.pid, 'SIGKILL');
    await expect.poll(() => stateOf(id)).toBe('exited');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    await runtime.removeContainer(id);
  });

  it('cannot change settings of the machine', async () => {
    const paths = [
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/vm/overcommit_memory',
      '/proc/sysrq-trigger',
      '/proc/irq/default_smp_affinity',
      '/proc/fs/none',
    ];
    // Nothing is written: a file that may be is opened only.
    const look = paths.map((path) => `[ -e ${path} ] && (: >>${path}) 2>/dev/null && echo ${path}`).join(';');
    const id = await started(['sh', '-c', `${look}; echo looked`]);
    await expect.poll(() => logOf(id)).toContain('looked');
    expect((await logOf(id)).trim().split('\n')).toHaveLength(1);
  });

  it('can be removed, however deep its folders are', async () => {
    const deep = 'n=$(printf "%0250d" 0); i=0; while [ $i -lt 40 ]; do mkdir $n; cd $n; i=$((i+1)); done';
    const id = await started(['sh', '-c', deep]);
    await expect.poll(() => stateOf(id)).toBe('exited');
    await runtime.removeContainer(id);
    expect(existsSync(join(dir, 'state/containers', id))).toBe(false);
  });
});
