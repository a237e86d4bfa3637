import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ContainerConfig, ProcessRuntime, type SandboxConfig } from '@orch/container-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';

const NAMESPACES = { network: 'node', pid: 'container', ipc: 'pod' } as const;
const FOREVER = ['sh', '-c', 'echo begun; sleep 1000'];

/** Starts a container, and lists the descriptors of a command in it. */
const STARTER = `
  import { ProcessRuntime } from '@orch/container-runtime';
  const runtime = await ProcessRuntime.open({ folder: process.env.FOLDER });
  const containerId = await runtime.createContainer(JSON.parse(process.env.REQUEST));
  await runtime.startContainer(containerId);
  const command = JSON.parse(process.env.REQUEST).config.command;
  const { stdout } = await runtime.execSync({ containerId, command, timeout: 30_000 });
  process.stdout.write(containerId + ' ' + stdout.toString('base64'), () => process.exit());
`;

/** Prints what the descriptors of a shell are. */
const LINKS = 'for each in /proc/$$/fd/*; do echo $each $(readlink $each); done';

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
function configOf(command: readonly string[], more: Partial<ContainerConfig>): ContainerConfig {
  const name = `c${++count}`;
  return {
    ...{ metadata: { name, attempt: 0 }, image: IMAGES.busybox, command, labels: {}, annotations: {} },
    ...{ logPath: `${name}.log`, security: { namespaces: NAMESPACES }, ...more },
  };
}

async function started(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
  const config = configOf(command, more);
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

  it('goes on where its log cannot be written', async () => {
    symlinkSync('/dev/full', join(dir, 'logs/full.log'));
    const id = await started(['sh', '-c', 'echo a; sleep 0.2; echo b; exit 3'], { logPath: 'full.log' });
    await expect.poll(() => stateOf(id)).toBe('exited');
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 3 });
  });

  it('keeps its exit code until there is room to write it down', async () => {
    const small = join(dir, 'small');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', small]);
    const full = await ProcessRuntime.open({ folder: join(small, 'state'), images: join(dir, 'images') });
    try {
      const fill = 'while read -r line; do cat /dev/zero >/zeros; echo full; exit 3; done';
      const config = configOf(['sh', '-c', `${fill}`], { stdin: true });
      const id = await full.createContainer({ sandboxId: await full.runSandbox(sandboxConfig), config, sandboxConfig });
      await full.startContainer(id);
      const { pid } = JSON.parse(readFileSync(join(small, 'state/containers', id, 'progress.json'), 'utf8'));
      (await attached(full, id)).stdin?.write('go\n');
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
      rmSync(join(small, 'state/containers', id, 'root/zeros'));
      await expect.poll(async () => (await full.containerStatus(id)).state).toBe('exited');
      expect(await full.containerStatus(id)).toMatchObject({ exitCode: 3 });
      for (const { id: sandbox } of await full.listSandboxes()) await full.removeSandbox(sandbox);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('goes on where it has closed its input, and is sent more', async () => {
    const plain = await ProcessRuntime.open({
      folder: join(dir, 'plain'),
      images: join(dir, 'images'),
      isolation: 'none',
    });
    const sandbox = await plain.runSandbox(sandboxConfig);
    const config = configOf(['sh', '-c', 'exec 0<&-; echo begun; sleep 1000'], { stdin: true });
    const id = await plain.createContainer({ sandboxId: sandbox, config, sandboxConfig });
    await plain.startContainer(id);
    const log = async () => readFileSync((await plain.containerStatus(id)).logPath, 'utf8');
    await expect.poll(log).toContain('begun');
    const { stdin } = await attached(plain, id);
    await new Promise<void>((resolve) => stdin?.write('more', () => resolve()));
    // The requests after it are answered.
    for (let n = 0; n < 3; n++) await plain.reopenContainerLog(id);
    expect((await plain.containerStatus(id)).state).toBe('running');
    await plain.removeSandbox(sandbox);
  });

  it('that is slow to read its input holds up who sends it, and gets all of it', async () => {
    const id = await started(['sh', '-c', 'sleep 1; wc -c; sleep 1000'], { stdin: true });
    const { supervisor } = progressOf(id);
    const { stdin } = await attached(runtime, id);
    for (let n = 0; n < 200; n++) stdin?.write(Buffer.alloc(1 << 20));
    stdin?.end();
    await expect.poll(() => logOf(id)).toContain(`${200 << 20}`);
    const status = readFileSync(`/proc/${supervisor.pid}/status`, 'utf8');
    const [, peak] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    expect(Number(peak) / 1024).toBeLessThan(200);
  });

  it('has an environment that other users of the machine do not see, whatever its names and values', async () => {
    const value = `"secret" \\ \${PATH} # of '${process.pid}`;
    const env = [
      { name: 'PASSWORD', value },
      { name: '-S', value: 'busybox false' },
    ];
    // A shell would drop names that it could not use.
    const shown = await started(['env'], { env });
    await expect.poll(() => stateOf(shown)).toBe('exited');
    expect(await logOf(shown)).toContain(`PASSWORD=${value}\n`);
    expect(await logOf(shown)).toContain('-S=busybox false\n');
    const id = await started(FOREVER, { env });
    const seen = () =>
      execFileSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline || true'], { stdio: ['ignore', 'pipe', 'ignore'] });
    expect(seen().toString()).not.toContain(value);
    const command = ['sh', '-c', 'echo "$PASSWORD"'];
    const { stdout } = await runtime.execSync({ containerId: id, command, timeout: 30_000 });
    expect(stdout.toString()).toBe(`${value}\n`);
  });

  it('has no descriptors that the runtime was started with', async () => {
    // Node itself lets programs inherit none of the first sixteen.
    const more = Array.from<unknown, 'pipe' | 'ignore'>({ length: 18 }, (_, at) => (at === 17 ? 'pipe' : 'ignore'));
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...more];
    const config = configOf(['sh', '-c', `${LINKS}; [ $$ != 1 ] || sleep 1000`], {});
    const request = { sandboxId, config, sandboxConfig };
    const env = { ...process.env, FOLDER: join(dir, 'state'), REQUEST: JSON.stringify(request) };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', STARTER], { env, stdio });
    const [id = '', seen = ''] = (await text(child.stdout as Readable)).split(' ');
    await expect.poll(() => logOf(id)).toContain('socket:');
    for (const links of [Buffer.from(seen, 'base64').toString(), await logOf(id)])
      expect(links.match(/20 .*/g)).toEqual(['20 /dev/null']);
  });
});

async function attached(of: ProcessRuntime, containerId: string) {
  const endpoint = await of.attach({ containerId, stdin: true, stdout: true, stderr: true, tty: false });
  if (endpoint.kind !== 'streams') throw new Error('this runtime has no URLs');
  return endpoint.streams;
}
