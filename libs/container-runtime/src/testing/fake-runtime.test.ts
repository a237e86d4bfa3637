import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { ContainerConfig, ContainerEvent } from '../containers.js';
import { COMMANDS, describeRuntime, type RuntimeUnderTest } from '../contract/index.js';
import { RuntimeError } from '../runtime-error.js';
import type { SandboxConfig } from '../sandboxes.js';
import type { FakeExec, FakeProgram } from './fake-program.js';
import { FakeRuntime } from './fake-runtime.js';

const IMAGE = 'localhost/busybox:1';
const NAMESPACES = { network: 'pod', pid: 'container', ipc: 'pod' } as const;

const COMMANDS_OF_CONTRACT: Readonly<Record<string, FakeExec>> = {
  'echo out; echo err >&2; exit 5': { stdout: 'out\n', stderr: 'err\n', exitCode: 5 },
  'sleep 1000': { after: 1_000_000 },
};
const exec = (command: readonly string[]): FakeExec => COMMANDS_OF_CONTRACT[command.at(-1) ?? ''] ?? {};

const PROGRAMS = new Map<readonly string[], FakeProgram>([
  [COMMANDS.runs, { stopCode: 7, exec }],
  [COMMANDS.ignores, { stopDelay: Infinity, output: [{ stream: 'stdout', text: 'ready' }] }],
  [COMMANDS.succeeds, { exitAfter: 1 }],
  [COMMANDS.missing, { startFailure: 'no such file or directory' }],
  [COMMANDS.echoes, { echo: true }],
]);

describeRuntime('the double of a runtime', makeDouble, { hasNetwork: true, isolates: false, executes: false });

async function makeDouble(): Promise<RuntimeUnderTest> {
  const printing: FakeProgram = {
    exitAfter: 1,
    exitCode: 3,
    output: [
      { stream: 'stdout', text: 'out' },
      { stream: 'stderr', text: 'err' },
      { stream: 'stdout', text: 'rest', partial: true },
    ],
  };
  const programOf = ({ command = [] }: ContainerConfig) =>
    command === COMMANDS.prints ? printing : PROGRAMS.get(command);
  const runtime = new FakeRuntime({ programOf });
  runtime.images.add({ name: IMAGE });
  const reconnect = () => Promise.resolve(runtime);
  const stop = () => Promise.resolve();
  return { runtime, image: IMAGE, reconnect, stop };
}

function pod(): SandboxConfig {
  const metadata = { name: 'pod', uid: 'uid', namespace: 'default', attempt: 0 };
  const security = { namespaces: NAMESPACES };
  return { metadata, hostname: 'pod', logDirectory: '/none', labels: {}, annotations: {}, security };
}

async function started(runtime: FakeRuntime, name = 'c'): Promise<string> {
  runtime.images.add({ name: IMAGE });
  const sandboxConfig = pod();
  const sandboxId = await runtime.runSandbox(sandboxConfig);
  const config: ContainerConfig = {
    ...{ metadata: { name, attempt: 0 }, image: IMAGE, labels: {}, annotations: {}, logPath: 'c/0.log' },
    security: { namespaces: NAMESPACES },
  };
  const id = await runtime.createContainer({ sandboxId, config, sandboxConfig });
  await runtime.startContainer(id);
  return id;
}

describe('a container of the double', () => {
  it('ends as a test says, at the times of its clock', async () => {
    const clock = new ManualClock();
    const runtime = new FakeRuntime({ clock });
    runtime.programs.set('c', { exitAfter: 5_000, oomKilled: true });
    const id = await started(runtime);
    await clock.advance(4_999);
    expect(await runtime.containerStatus(id)).toMatchObject({ state: 'running' });
    await clock.advance(1);
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('can be ended by hand, and can vanish', async () => {
    const runtime = new FakeRuntime();
    const id = await started(runtime);
    runtime.container('c').exit(9);
    expect(await runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 9 });
    runtime.vanish(id);
    expect(await runtime.listContainers()).toEqual([]);
  });

  it('takes its time to stop, up to its grace period', async () => {
    const clock = new ManualClock();
    const runtime = new FakeRuntime({ clock });
    runtime.programs.set('c', { stopDelay: 3_000, stopCode: 0 });
    const id = await started(runtime);
    const stopped = runtime.stopContainer(id, 30);
    await clock.advance(3_000);
    await stopped;
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});

describe('the double', () => {
  it('fails as often as it is told to, and counts its calls', async () => {
    const runtime = new FakeRuntime();
    runtime.faults.fail('pullImage', new RuntimeError('Unknown', 'registry is away'), 1);
    await expect(runtime.pullImage({ image: IMAGE })).rejects.toThrow('registry is away');
    await expect(runtime.pullImage({ image: IMAGE })).rejects.toMatchObject({ code: 'NotFound' });
    runtime.images.publish({ name: IMAGE });
    await runtime.pullImage({ image: IMAGE });
    expect(await runtime.imageStatus(IMAGE)).toMatchObject({ repoTags: [IMAGE] });
    expect(runtime.faults.count('pullImage')).toBe(3);
  });

  it('is slow, or cannot be reached', async () => {
    const clock = new ManualClock();
    const runtime = new FakeRuntime({ clock });
    runtime.faults.slow('version', 1_000);
    let done = false;
    const version = runtime.version().then(() => {
      done = true;
    });
    await clock.advance(999);
    expect(done).toBe(false);
    await clock.advance(1);
    await version;
    runtime.faults.unreachable = true;
    await expect(runtime.version()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('sends events until it is no longer listened to', async () => {
    const runtime = new FakeRuntime();
    const ending = new AbortController();
    const events = runtime.events(ending.signal);
    const id = await started(runtime);
    const seen: ContainerEvent[] = [];
    for await (const event of events) {
      if (seen.push(event) === 4) ending.abort();
    }
    expect(seen.map(({ type }) => type)).toEqual(['created', 'started', 'created', 'started']);
    expect(seen.at(-1)).toMatchObject({ id, podUid: 'uid' });
  });

  it('loses a sandbox with its network', async () => {
    const runtime = new FakeRuntime();
    const id = await started(runtime);
    const [sandbox] = await runtime.listSandboxes();
    runtime.breakSandbox(sandbox?.id ?? '');
    expect(await runtime.sandboxStatus(sandbox?.id ?? '')).toMatchObject({ state: 'notready', ips: [] });
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 137 });
  });
});
