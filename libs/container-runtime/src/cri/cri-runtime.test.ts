import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerConfig, ContainerEvent } from '../containers.js';
import { isNotFound, isUnreachable } from '../runtime-error.js';
import type { SandboxConfig } from '../sandboxes.js';
import { CriRuntime } from './cri-runtime.js';
import { METHODS } from './methods.js';
import { decode, encode } from './schema.js';

type Answer = object | { readonly code: number; readonly details: string };

const NAMESPACES = { network: 'pod', pid: 'target', ipc: 'node', targetId: 'other' } as const;
const SANDBOX: SandboxConfig = {
  metadata: { name: 'p', uid: 'u', namespace: 'ns', attempt: 2 },
  ...{ hostname: 'h', logDirectory: '/logs', labels: { a: 'b' }, annotations: {}, cgroupParent: '/kubepods/podu' },
  portMappings: [{ protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIP: '127.0.0.1' }],
  security: { namespaces: NAMESPACES, runAsUser: 0, seccomp: { type: 'runtime-default' } },
  runtimeHandler: 'kata',
};

let dir: string;
let server: Server | undefined;
let runtime: CriRuntime;
let requests: Buffer[] = [];
let open: ServerWritableStream<Buffer, Buffer>[] = [];

const bytes = (value: Buffer): Buffer => value;
const CODEC = {
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};
const path = () => join(dir, 'cri.sock');

/** Serves methods of the runtime service, each with one answer; a function gives it late or never. */
async function serve(answers: Partial<Record<keyof typeof METHODS, Answer | 'never'>>): Promise<void> {
  const made = new Server();
  const definitions = Object.entries(METHODS).map(([key, { name }]) => {
    const path = `/runtime.v1.RuntimeService/${name}`;
    return [key, { ...CODEC, path, requestStream: false, responseStream: key === 'events' }] as const;
  });
  const handlers = Object.entries(answers).map(([key, answer]) => {
    const { answer: type } = METHODS[key as keyof typeof METHODS];
    const unary = (call: { request: Buffer }, reply: (error: object | null, value?: Buffer) => void) => {
      requests.push(call.request);
      if (answer === 'never') return;
      if ('code' in answer) reply(answer);
      else reply(null, Buffer.from(encode(type, answer)));
    };
    const stream = (call: ServerWritableStream<Buffer, Buffer>) => {
      open.push(call);
      call.write(Buffer.from(encode(type, answer as object)));
    };
    return [key, key === 'events' ? stream : unary] as const;
  });
  made.addService(Object.fromEntries(definitions), Object.fromEntries(handlers) as never);
  await new Promise<void>((resolve, reject) =>
    made.bindAsync(`unix:${path()}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  server = made;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-cri-'));
  [requests, open] = [[], []];
  runtime = new CriRuntime({ socket: path(), requestTimeout: 60_000 });
});

afterEach(async () => {
  await runtime.close();
  server?.forceShutdown();
  rmSync(dir, { recursive: true, force: true });
});

const sent = (type: string) => decode(type, requests[0] ?? Buffer.alloc(0));

describe('a runtime behind CRI', () => {
  it('gets the settings of a sandbox', async () => {
    await serve({ runSandbox: { id: 's1' } });
    expect(await runtime.runSandbox(SANDBOX)).toBe('s1');
    expect(sent('RunSandboxRequest')).toMatchObject({
      runtimeHandler: 'kata',
      config: {
        metadata: SANDBOX.metadata,
        portMappings: SANDBOX.portMappings,
        linux: {
          cgroupParent: '/kubepods/podu',
          security: {
            namespaces: { ...NAMESPACES, users: null },
            // A user 0 is not none.
            ...{ runAsUser: { value: 0 }, runAsGroup: null, seccomp: { type: 'runtime_default' } },
          },
        },
      },
    });
  });

  it('gets the settings of a container', async () => {
    await serve({ createContainer: { id: 'c1' } });
    const users = { uids: [{ hostId: 100_000, containerId: 0, length: 65_536 }], gids: [] };
    const config: ContainerConfig = {
      ...{ metadata: { name: 'c', attempt: 3 }, image: 'sha256:1', labels: {}, annotations: {}, logPath: 'c/3.log' },
      env: [{ name: 'A', value: '1' }],
      mounts: [{ containerPath: '/a', hostPath: '/b', readOnly: true, propagation: 'host-to-container' }],
      devices: [{ containerPath: '/dev/a', hostPath: '/dev/b', permissions: 'rw' }],
      cdiDevices: ['vendor.com/gpu=1'],
      resources: { cpuQuota: -1, memoryLimit: 2 ** 40, unified: { 'memory.high': '1' } },
      security: {
        namespaces: { ...NAMESPACES, users },
        seccomp: { type: 'localhost', localhostRef: '/profile' },
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
      },
    };
    expect(await runtime.createContainer({ sandboxId: 's1', config, sandboxConfig: SANDBOX })).toBe('c1');
    expect(sent('CreateContainerRequest')).toMatchObject({
      sandboxId: 's1',
      config: {
        ...{ image: { image: 'sha256:1' }, env: config.env, cdiDevices: [{ name: 'vendor.com/gpu=1' }] },
        ...{ mounts: [{ hostPath: '/b', readOnly: true, propagation: 'host_to_container' }], devices: config.devices },
        linux: {
          resources: { cpuQuota: -1, memoryLimit: 2 ** 40, unified: { 'memory.high': '1' } },
          security: {
            namespaces: { users: { mode: 'pod', ...users } },
            seccomp: { type: 'localhost', localhostRef: '/profile' },
            capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
          },
        },
      },
      sandboxConfig: { metadata: SANDBOX.metadata },
    });
  });

  it('says the state of a container in milliseconds, and what is not known is absent', async () => {
    const at = 1_681_171_200_000_000_000;
    await serve({ containerStatus: { status: { id: 'c1', state: 'created', createdAt: at, image: { image: 'i' } } } });
    const found = await runtime.containerStatus('c1');
    expect(found).toMatchObject({
      id: 'c1',
      state: 'created',
      createdAt: at / 1e6,
      image: 'i',
      mounts: [],
      labels: {},
    });
    expect('startedAt' in found || 'finishedAt' in found || 'resources' in found).toBe(false);
  });

  it('has not found what is not there; to stop and to remove it is no error', async () => {
    const gone = { code: status.NOT_FOUND, details: 'container "x": not found' };
    await serve({ containerStatus: gone, stopContainer: gone, removeContainer: gone, sandboxStatus: {} });
    await expect(runtime.containerStatus('x')).rejects.toSatisfy(isNotFound);
    await expect(runtime.containerStatus('x')).rejects.toMatchObject({ description: gone.details });
    await expect(runtime.sandboxStatus('x')).rejects.toSatisfy(isNotFound);
    await runtime.stopContainer('x', 30);
    await runtime.removeContainer('x');
  });

  it('has statistics of the sandboxes that have them, where a list fails', async () => {
    const failed = { code: status.UNKNOWN, details: 'failed to decode sandbox container metrics' };
    const metadata = { name: 'p', uid: 'u', namespace: 'ns', attempt: 0 };
    const listed = { items: [{ id: 's', metadata, state: 0 }] };
    const stats = { attributes: { id: 's', metadata } };
    await serve({ listSandboxStatistics: failed, listSandboxes: listed, sandboxStatistics: { stats } });
    expect(await runtime.listSandboxStatistics()).toMatchObject([{ id: 's' }]);
    server?.forceShutdown();
    rmSync(path(), { force: true });
    await serve({ listSandboxStatistics: failed, listSandboxes: listed, sandboxStatistics: failed });
    await expect.poll(() => runtime.listSandboxStatistics().catch(() => undefined)).toEqual([]);
    server?.forceShutdown();
    await expect(runtime.listSandboxStatistics()).rejects.toSatisfy(isUnreachable);
  });

  it('knows the image of sandboxes where the runtime shows its configuration', async () => {
    const config = JSON.stringify({ sandboxImage: 'localhost/pause:1' });
    await serve({ status: { info: { golang: 'go1.19', config } } });
    expect(await runtime.sandboxImage()).toBe('localhost/pause:1');
    server?.forceShutdown();
    rmSync(path(), { force: true });
    await serve({ status: { info: { config: 'pause_image = "x"' } } });
    await expect.poll(() => runtime.sandboxImage().catch(() => 'away')).toBeUndefined();
  });

  it('fails at once while it is away, and serves again once it is back', async () => {
    await expect(runtime.version()).rejects.toSatisfy(isUnreachable);
    await serve({ version: { runtimeName: 'r', runtimeVersion: '1', runtimeApiVersion: 'v1' } });
    const version = () => runtime.version().catch(() => undefined);
    await expect.poll(version).toEqual({ name: 'r', version: '1', apiVersion: 'v1' });
    server?.forceShutdown();
    await expect(runtime.version()).rejects.toSatisfy(isUnreachable);
    rmSync(path(), { force: true });
    await serve({ version: { runtimeName: 'r', runtimeVersion: '2', runtimeApiVersion: 'v1' } });
    await expect.poll(version).toMatchObject({ version: '2' });
  });

  it('has a limit of time for calls, and tells its own from that of a command', async () => {
    const timeout = { code: status.DEADLINE_EXCEEDED, details: 'timeout 1s exceeded' };
    await serve({ version: 'never', execSync: timeout });
    const hasty = new CriRuntime({ socket: path(), requestTimeout: 200 });
    await expect(hasty.version()).rejects.toMatchObject({
      code: 'DeadlineExceeded',
      description: 'context deadline exceeded',
    });
    await hasty.close();
    const command = runtime.execSync({ containerId: 'c', command: ['x'], timeout: 100 });
    await expect(command).rejects.toMatchObject({ code: 'DeadlineExceeded', description: timeout.details });
    expect(decode('ExecSyncRequest', requests.at(-1) ?? Buffer.alloc(0))).toMatchObject({ timeout: 1 });
  });

  it('sends events until they are no longer wanted', async () => {
    await serve({ events: { id: 'c1', type: 'stopped', at: 5_000_000, sandbox: { metadata: { uid: 'u' } } } });
    const ending = new AbortController();
    const seen: ContainerEvent[] = [];
    for await (const event of runtime.events(ending.signal)) {
      seen.push(event);
      ending.abort();
    }
    expect(seen).toEqual([{ id: 'c1', type: 'stopped', at: 5, podUid: 'u' }]);
    await expect.poll(() => open[0]?.cancelled).toBe(true);
  });

  it('says so where it has no events', async () => {
    await serve({});
    const events = runtime.events(new AbortController().signal)[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject({ code: 'Unimplemented' });
  });

  it('answers nothing more once it is closed', async () => {
    await serve({ version: 'never' });
    const pending = expect(runtime.version()).rejects.toMatchObject({ code: 'Canceled' });
    await expect.poll(() => requests.length).toBe(1);
    await runtime.close();
    await pending;
    await expect(runtime.version()).rejects.toMatchObject({ code: 'Canceled' });
  });
});
