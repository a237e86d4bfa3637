import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type ContainerConfig,
  ProcessRuntime,
  type SandboxConfig,
  UnsupportedFieldError,
} from '@orch/container-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';

const NAMESPACES = { network: 'node', pid: 'container', ipc: 'pod' } as const;
const FOREVER = ['sh', '-c', 'echo begun; trap "exit 7" TERM; sleep 1000 & wait'];
/** Opens a runtime and starts a container, and is killed at once. */
const STARTER = `
  import { ProcessRuntime } from '@orch/container-runtime';
  const [, , options, request] = process.argv;
  const runtime = await ProcessRuntime.open(JSON.parse(options));
  const id = await runtime.createContainer(JSON.parse(request));
  await runtime.startContainer(id);
  process.stdout.write(id, () => process.kill(process.pid, 'SIGKILL'));
`;

let dir: string;
let runtime: ProcessRuntime;
let sandboxId: string;
let sandboxConfig: SandboxConfig;
const cgroup = `/orch-processes-${process.pid}`;
const options = () => ({ folder: join(dir, 'state'), images: join(dir, 'images') });

beforeAll(async () => {
  installForNodes('busybox-static', 'bubblewrap');
  dir = mkdtempSync(join(tmpdir(), 'orch-processes-'));
  packImages(join(dir, 'images'));
  runtime = await ProcessRuntime.open(options());
  sandboxConfig = {
    ...{ metadata: { name: 'p', uid: 'u', namespace: 'n', attempt: 0 }, hostname: 'p', labels: {}, annotations: {} },
    ...{ logDirectory: join(dir, 'logs'), security: { namespaces: NAMESPACES }, cgroupParent: cgroup },
    dns: { servers: ['10.0.0.10'], searches: ['n.svc', 'svc'], options: ['ndots:5'] },
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
function request(command: readonly string[], more: Partial<ContainerConfig> = {}) {
  const name = `c${++count}`;
  const config: ContainerConfig = {
    ...{ metadata: { name, attempt: 0 }, image: IMAGES.busybox, command, labels: {}, annotations: {} },
    ...{ logPath: `${name}.log`, security: { namespaces: NAMESPACES }, ...more },
  };
  return { sandboxId, config, sandboxConfig };
}

async function started(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
  const id = await runtime.createContainer(request(command, more));
  await runtime.startContainer(id);
  return id;
}

const logOf = async (id: string) => readFileSync((await runtime.containerStatus(id)).logPath, 'utf8');
const stateOf = async (id: string) => (await runtime.containerStatus(id)).state;
const progressOf = (id: string) => JSON.parse(readFileSync(join(dir, 'state/containers', id, 'progress.json'), 'utf8'));

describe('a container that is a process', () => {
  it('survives who has started it, with its log and its exit code', async () => {
    const text = JSON.stringify(request(FOREVER));
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        STARTER.replaceAll('process.argv', "['', '', process.env.OPTIONS, process.env.REQUEST]"),
      ],
      {
        env: { ...process.env, OPTIONS: JSON.stringify(options()), REQUEST: text },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let id = '';
    child.stdout.on('data', (piece) => {
      id += piece;
    });
    const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)));
    expect(signal).toBe('SIGKILL');
    expect(await stateOf(id)).toBe('running');
    await expect.poll(() => logOf(id)).toContain('begun');
    await runtime.stopContainer(id, 60);
    expect(await runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 7 });
  });

  it('ends with its supervisor, nobody knows how', async () => {
    const id = await started(FOREVER);
    const { pid, supervisor } = progressOf(id);
    process.kill(supervisor.pid, 'SIGKILL');
    await expect.poll(() => stateOf(id)).toBe('exited');
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 255, reason: 'Unknown' });
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    await runtime.removeContainer(id);
  });

  it('leaves no process behind, whatever it has started', async () => {
    const id = await started(['sh', '-c', 'for i in 1 2 3; do sleep 999 & done; echo begun; wait']);
    await expect.poll(() => logOf(id)).toContain('begun');
    const sleepers = () => execFileSync('sh', ['-c', 'pgrep -fc "^sleep 999$" || true'], { encoding: 'utf8' }).trim();
    expect(sleepers()).toBe('3');
    await runtime.removeContainer(id);
    expect(sleepers()).toBe('0');
    expect(existsSync(join(dir, 'state/containers', id))).toBe(false);
  });

  it('is killed for the memory that it uses beyond its limit', async () => {
    const id = await started(['busybox', 'tail', '/dev/zero'], { resources: { memoryLimit: 16 << 20 } });
    await expect.poll(() => stateOf(id)).toBe('exited');
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('has its limits, which can be changed', async () => {
    const id = await started(FOREVER, { resources: { memoryLimit: 64 << 20, pidsLimit: 20, oomScoreAdj: 900 } });
    const fork = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done';
    const { stderr } = await runtime.execSync({ containerId: id, command: ['sh', '-c', fork], timeout: 30_000 });
    expect(stderr.toString()).toMatch(/fork/);
    expect(readFileSync(`/proc/${progressOf(id).pid}/oom_score_adj`, 'utf8')).toBe('900\n');
    const command = ['cat', '/proc/self/oom_score_adj'];
    expect((await runtime.execSync({ containerId: id, command, timeout: 30_000 })).stdout.toString()).toBe('900\n');
    await runtime.updateContainerResources(id, { memoryLimit: 32 << 20 });
    const [folder = ''] = JSON.parse(
      readFileSync(join(dir, 'state/containers', id, 'container.json'), 'utf8'),
    ).launch.cgroups.filter(
      (path: string) => existsSync(join(path, 'memory.limit_in_bytes')) || existsSync(join(path, 'memory.max')),
    );
    const file = existsSync(join(folder, 'memory.max')) ? 'memory.max' : 'memory.limit_in_bytes';
    expect(readFileSync(join(folder, file), 'utf8').trim()).toBe(`${32 << 20}`);
  });

  it("has the sandbox's resolver, and none of the machine's files", async () => {
    const id = await started(FOREVER);
    const { stdout } = await runtime.execSync({
      ...{ containerId: id, timeout: 30_000, command: ['sh', '-c', 'cat /etc/resolv.conf; ls /root /home /tmp 2>&1'] },
    });
    expect(stdout.toString()).toContain('nameserver 10.0.0.10\nsearch n.svc svc\noptions ndots:5\n');
    expect(stdout.toString()).not.toContain('orch-');
  });

  it('has an environment that no program of the machine sees', async () => {
    const env = [
      { name: 'LD_PRELOAD', value: '/none.so' },
      { name: 'PATH', value: '/bin' },
    ];
    const id = await started(['sh', '-c', 'echo "$LD_PRELOAD" "$PATH"; sleep 1000'], { env });
    await expect.poll(() => logOf(id)).toContain('/none.so /bin');
    const { stdout, stderr } = await runtime.execSync({
      ...{ containerId: id, timeout: 30_000, command: ['sh', '-c', 'echo "$LD_PRELOAD"'] },
    });
    expect(`${stdout}${stderr}${await logOf(id)}`).not.toContain('cannot be preloaded');
    expect(stdout.toString()).toBe('/none.so\n');
  });

  it('that is removed while it starts is gone all the same', async () => {
    const id = await runtime.createContainer(request(FOREVER));
    const starting = runtime.startContainer(id).catch((error: Error) => error);
    await expect.poll(() => existsSync(join(dir, 'state/containers', id, 'progress.json'))).toBe(true);
    const { supervisor } = progressOf(id);
    await runtime.removeContainer(id);
    await starting;
    expect(existsSync(`/proc/${supervisor.pid}`)).toBe(false);
    expect(existsSync(join(dir, 'state/containers', id))).toBe(false);
  });

  it('says why it cannot be supervised', async () => {
    const id = await runtime.createContainer(request(FOREVER, { logPath: 'no/such/folder.log' }));
    await expect(runtime.startContainer(id)).rejects.toThrow('no such file or directory');
  });

  it('has terminals for commands, whose size can be changed', async () => {
    const id = await started(FOREVER);
    const command = ['sh', '-c', '[ -t 0 ] && [ -t 1 ] && echo "terminal $TERM"; read line; stty size; exit 3'];
    const endpoint = await runtime.exec({
      containerId: id,
      command,
      stdin: true,
      stdout: true,
      stderr: true,
      tty: true,
    });
    if (endpoint.kind !== 'streams') throw new Error('this runtime has no URLs');
    const { streams } = endpoint;
    let output = '';
    streams.stdout?.on('data', (piece) => {
      output += piece;
    });
    await expect.poll(() => output).toContain('terminal xterm');
    streams.resize(123, 45);
    // The size is set by another program: until it is there, the command is not to look.
    const size = () =>
      execFileSync('sh', ['-c', `for t in /dev/pts/[0-9]*; do stty -F $t size 2>/dev/null; done; true`]).toString();
    await expect.poll(size).toContain('45 123');
    streams.stdin?.write('go\n');
    expect(await streams.exit).toBe(3);
    expect(output).toContain('45 123');
  });

  it('is not made where it asks for what it cannot have, and leaves nothing', async () => {
    const before = await runtime.listContainers();
    const security = { namespaces: NAMESPACES, privileged: true };
    await expect(runtime.createContainer(request(FOREVER, { security }))).rejects.toThrow(UnsupportedFieldError);
    const volume = join(dir, 'volume');
    mkdirSync(volume);
    symlinkSync('/etc', join(volume, 'link'));
    writeFileSync(join(dir, 'file'), 'x');
    const mounts = [
      { hostPath: volume, containerPath: '/data' },
      { hostPath: join(dir, 'file'), containerPath: '/data/link/orch-was-here' },
    ];
    await expect(runtime.createContainer(request(FOREVER, { mounts }))).rejects.toThrow('symbolic link');
    await expect(
      runtime.createContainer(request(FOREVER, { security: { namespaces: NAMESPACES, runAsUserName: 'none' } })),
    ).rejects.toThrow('unable to find user');
    expect(existsSync('/etc/orch-was-here')).toBe(false);
    expect(await runtime.listContainers()).toEqual(before);
  });
});
