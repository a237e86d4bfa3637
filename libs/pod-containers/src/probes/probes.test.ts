import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { RuntimeError } from '@orch/container-runtime';
import { silentLogger, systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Container, Pod, PodStatus, Probe } from '@orch/schema/types/core/v1';
import { afterEach, describe, expect, it } from 'vitest';
import { probeExec } from './exec-probe.js';
import { probeGrpc } from './grpc-probe.js';
import { httpAction, probeHttp } from './http-probe.js';
import { ProbeManager } from './probe-manager.js';
import { resolvePort } from './probe-outcome.js';
import { Prober, type ProbeTarget } from './prober.js';
import { probeTcp } from './tcp-probe.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
const limits = { timeoutMs: 5_000 };

describe('a port', () => {
  const container = { ports: [{ name: 'web', containerPort: 8080 }] };
  it('is a number or a name', () => {
    expect([resolvePort(80, container), resolvePort('81', container), resolvePort('web', container)]).toEqual([
      80, 81, 8080,
    ]);
    expect(() => resolvePort('none', container)).toThrow("couldn't find port: none");
    expect(() => resolvePort(70_000, container)).toThrow('invalid port number: 70000');
  });
});

describe('a check over HTTP', () => {
  async function serve(answer: (path: string) => [number, Record<string, string>?, string?]) {
    const requests: Record<string, unknown>[] = [];
    const server = createHttpServer((request, response) => {
      requests.push({ url: request.url, ...request.headers });
      const [code, headers = {}, body = ''] = answer(request.url ?? '');
      if (code > 0) response.writeHead(code, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return { port: (server.address() as AddressInfo).port, requests };
  }
  const check = (port: number, more = {}, timeoutMs = 5_000) =>
    probeHttp(httpAction({ port, ...more }, {}, '127.0.0.1', 'kube-probe'), { timeoutMs }, systemClock);

  it.each([
    [200, 'success', 'body'],
    [204, 'success', ''],
    [404, 'failure', 'HTTP probe failed with statuscode: 404'],
    [503, 'failure', 'HTTP probe failed with statuscode: 503'],
  ])('takes %i for a %s', async (code, result, output) => {
    const { port } = await serve(() => [code, {}, 'body']);
    expect(await check(port)).toEqual({ result, output });
  });

  it('says who asks, and what it is told to', async () => {
    const { port, requests } = await serve(() => [200]);
    await check(port, {
      path: '/a?b=c',
      httpHeaders: [
        { name: 'Host', value: 'web' },
        { name: 'X-A', value: '1' },
        { name: 'Constructor', value: '2' },
      ],
    });
    expect(requests).toMatchObject([
      { url: '/a?b=c', host: 'web', 'x-a': '1', constructor: '2', 'user-agent': 'kube-probe/1.27', accept: '*/*' },
    ]);
  });

  it('follows redirects on the host only, and not for ever', async () => {
    const { port } = await serve((path) => {
      if (path === '/there') return [302, { location: '/here' }];
      if (path === '/away') return [302, { location: 'http://example.invalid/' }];
      if (path === '/loop') return [302, { location: '/loop' }];
      return [200, {}, 'here'];
    });
    expect(await check(port, { path: '/there' })).toEqual({ result: 'success', output: 'here' });
    expect(await check(port, { path: '/away' })).toMatchObject({ result: 'warning' });
    expect((await check(port, { path: '/loop' })).output).toContain('stopped after 10 redirects');
  });

  it('reads no more than 10 KiB', async () => {
    const { port } = await serve(() => [200, {}, 'x'.repeat(100_000)]);
    expect((await check(port)).output).toHaveLength(10 * 1024);
  });

  it('fails where nothing listens or answers in time', async () => {
    const { port } = await serve(() => [0]);
    expect((await check(port, {}, 50)).output).toContain('context deadline exceeded');
    const { port: closed } = await serve(() => [200]);
    for (const close of closers.splice(0)) close();
    expect(await check(closed)).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:${closed}/": dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    });
  });
});

describe('a check over TCP', () => {
  it('succeeds where something listens', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await probeTcp('127.0.0.1', port, limits, systemClock)).toEqual({ result: 'success', output: '' });
    await new Promise((resolve) => server.close(resolve));
    expect(await probeTcp('127.0.0.1', port, limits, systemClock)).toEqual({
      result: 'failure',
      output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });
});

describe('a check over gRPC', () => {
  async function serve(answers: Record<string, number> | undefined) {
    const server = new Server();
    const path = '/grpc.health.v1.Health/Check';
    const method = {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (value: Buffer) => value,
      requestDeserialize: (value: Buffer) => value,
      responseSerialize: (value: Buffer) => value,
      responseDeserialize: (value: Buffer) => value,
    };
    if (answers)
      server.addService(
        { Check: method },
        {
          Check: (call: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) => {
            const state = answers[call.request.subarray(2).toString()];
            if (state === undefined) answer({ code: status.NOT_FOUND, details: 'unknown service' });
            else answer(null, Buffer.from([8, state]));
          },
        },
      );
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    closers.push(() => server.forceShutdown());
    return port;
  }
  const check = (port: number, service = '') => probeGrpc('127.0.0.1', port, service, limits, systemClock);

  it('asks for the health of a service', async () => {
    const port = await serve({ '': 1, db: 2 });
    expect(await check(port)).toEqual({ result: 'success', output: '' });
    expect(await check(port, 'db')).toEqual({
      result: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
    expect(await check(port, 'none')).toEqual({
      result: 'failure',
      output: 'error: health rpc probe failed: unknown service',
    });
    expect((await check(await serve(undefined))).output).toContain('does not implement the grpc health protocol');
  });
});

describe('a check by a command', () => {
  const run = (result: object) =>
    probeExec(
      { execSync: async () => ({ stdout: Buffer.from('out'), stderr: Buffer.from('err'), exitCode: 0, ...result }) },
      'c',
      ['x'],
      limits,
    );

  it('succeeds with the command', async () => {
    expect(await run({})).toEqual({ result: 'success', output: 'outerr' });
    expect(await run({ exitCode: 1 })).toEqual({ result: 'failure', output: 'outerr' });
  });

  it('fails when the command takes too long, and is none when it cannot be run', async () => {
    const failing = (code: 'DeadlineExceeded' | 'Unknown') =>
      probeExec({ execSync: () => Promise.reject(new RuntimeError(code, 'no')) }, 'c', ['x'], { timeoutMs: 1_000 });
    expect(await failing('DeadlineExceeded')).toMatchObject({ result: 'failure' });
    await expect(failing('Unknown')).rejects.toThrow('no');
  });
});

describe('a prober', () => {
  it('reports failures, and tries again what could not be carried out', async () => {
    const events: string[] = [];
    const sink = {
      ofPod: (_pod: Pod, type: string, reason: string, message: string, path?: string) =>
        void events.push(`${type} ${reason} ${message} ${path}`),
      ofNode() {},
    };
    let calls = 0;
    const runtime = {
      async execSync({ command }: { command: readonly string[] }) {
        calls++;
        if (command[0] === 'broken') throw new RuntimeError('Unknown', 'no');
        return { stdout: Buffer.from(command.join(' ')), stderr: Buffer.alloc(0), exitCode: 1 };
      },
    };
    const prober = new Prober(runtime, sink, systemClock, silentLogger);
    const target = (command: string[]): ProbeTarget => ({
      type: 'Liveness',
      probe: { exec: { command } },
      pod: {},
      container: { name: 'c', env: [{ name: 'A', value: 'x' }] },
      containerId: 'i',
      podIP: '',
    });
    expect(await prober.probe(target(['test', '$(A)', '$(B)']))).toBe('failure');
    expect(await prober.probe(target(['broken']))).toBeUndefined();
    expect(calls).toBe(4);
    expect(events).toEqual([
      'Warning Unhealthy Liveness probe failed: test x $(B) spec.containers{c}',
      'Warning Unhealthy Liveness probe errored: rpc error: code = Unknown desc = no spec.containers{c}',
    ]);
  });
});

describe('the probes of a pod', () => {
  function probed(probes: Partial<Container>, early = false) {
    const clock = new ManualClock();
    const answers = new Map<string, 'success' | 'failure' | undefined>();
    const checks: string[] = [];
    let changes = 0;
    let status: PodStatus | undefined;
    const prober = {
      async probe({ type }: ProbeTarget) {
        checks.push(`${type} at ${clock.now() / 1000}`);
        return answers.get(type);
      },
    };
    const manager = new ProbeManager({
      prober,
      statusOf: () => status,
      onResult: () => void changes++,
      clock,
      random: () => 0.5,
    });
    const container = { name: 'c', ...probes };
    const pod: Pod = { metadata: { uid: 'u' }, spec: { containers: [container] } };
    const runs = (containerID: string, more = {}) => {
      const startedAt = new Date(clock.wall()).toISOString();
      const own = () => manager.completed('u', { name: 'c', containerID, state: { running: { startedAt } }, ...more });
      status = {
        phase: 'Running',
        podIP: '10.0.0.1',
        get containerStatuses() {
          return [own()];
        },
      } as PodStatus;
      return own;
    };
    return {
      clock,
      answers,
      checks,
      manager,
      pod,
      runs,
      changes: () => changes,
      early,
      begin: async () => {
        if (!early) await clock.advance(100_000);
        manager.add(pod);
      },
    };
  }
  const probe: Probe = { exec: {}, periodSeconds: 10, failureThreshold: 3, successThreshold: 1 };

  it('make it ready by their threshold, and not ready again', async () => {
    const { clock, answers, manager, runs, begin, changes } = probed({
      readinessProbe: { ...probe, successThreshold: 2 },
    });
    const own = runs('x://1');
    await begin();
    answers.set('Readiness', 'success');
    await clock.advance(5_000);
    expect(own()).toMatchObject({ started: true, ready: false });
    await clock.advance(10_000);
    expect(own()).toMatchObject({ ready: true });
    answers.set('Readiness', 'failure');
    await clock.advance(20_000);
    expect(own()).toMatchObject({ ready: true });
    await clock.advance(10_000);
    expect(own()).toMatchObject({ ready: false });
    // Failure at first, then success, then failure.
    expect(changes()).toBe(3);
    manager.remove('u');
    expect(clock.pending).toBe(0);
  });

  it('are counted by their results, as long as there is the pod', async () => {
    const { clock, answers, manager, runs, begin } = probed({ readinessProbe: probe, livenessProbe: probe });
    runs('x://1')();
    await begin();
    answers.set('Readiness', 'success');
    answers.set('Liveness', 'failure');
    await clock.advance(15_000);
    const identity = { container: 'c', pod: '', namespace: '', uid: 'u' };
    expect([...manager.counts()]).toEqual([
      { ...identity, type: 'Readiness', result: 'successful', count: expect.any(Number) },
      { ...identity, type: 'Liveness', result: 'failed', count: expect.any(Number) },
    ]);
    expect([...manager.counts()].every(({ count }) => count === 2)).toBe(true);
    manager.remove('u');
    expect([...manager.counts()]).toEqual([]);
  });

  it('are carried out at once for a container that is to be ready', async () => {
    const { clock, answers, manager, runs, begin } = probed({ readinessProbe: probe });
    const own = runs('x://1');
    await begin();
    await clock.advance(1);
    answers.set('Readiness', 'success');
    manager.checkSoon('u', [own()]);
    await clock.settle();
    expect(own()).toMatchObject({ ready: true });
  });

  it('are not needed to be ready', async () => {
    const { runs, begin } = probed({});
    const own = runs('x://1');
    await begin();
    expect(own()).toMatchObject({ started: true, ready: true });
  });

  it('wait for the initial delay', async () => {
    const { clock, checks, runs, begin } = probed({ livenessProbe: { ...probe, initialDelaySeconds: 25 } });
    await begin();
    runs('x://1');
    await clock.advance(45_000);
    expect(checks).toEqual(['Liveness at 130', 'Liveness at 140']);
  });

  it('wait for the startup probe, which ends with its success', async () => {
    const { clock, answers, checks, runs, begin } = probed({ livenessProbe: probe, startupProbe: probe });
    const own = runs('x://1');
    await begin();
    answers.set('Startup', 'failure');
    await clock.advance(10_000);
    expect(own()).toMatchObject({ started: false, ready: false });
    answers.set('Startup', 'success');
    answers.set('Liveness', 'success');
    await clock.advance(10_000);
    expect(own()).toMatchObject({ started: true, ready: true });
    await clock.advance(10_000);
    expect(checks.at(-1)).toMatch(/^Liveness/);
    expect(checks.filter((check) => check.startsWith('Startup'))).toHaveLength(3);
  });

  it('kill a container by their threshold, and then wait for another one', async () => {
    const { clock, answers, checks, manager, runs, begin } = probed({ livenessProbe: probe });
    runs('x://1');
    await begin();
    answers.set('Liveness', 'failure');
    await clock.advance(19_000);
    expect(manager.failed('x://1')).toBeUndefined();
    await clock.advance(2_000);
    expect(manager.failed('x://1')).toBe('Liveness');
    const before = checks.length;
    await clock.advance(60_000);
    expect(checks).toHaveLength(before);
    runs('x://2');
    answers.set('Liveness', 'success');
    await clock.advance(10_000);
    expect([manager.failed('x://1'), manager.failed('x://2')]).toEqual([undefined, undefined]);
    expect(checks.length).toBe(before + 1);
  });

  it('kill nothing in a pod that is being deleted', async () => {
    const { clock, answers, manager, pod, runs, begin } = probed({ livenessProbe: probe });
    runs('x://1');
    await begin();
    answers.set('Liveness', 'failure');
    manager.add({ ...pod, metadata: { uid: 'u', deletionTimestamp: '2023-01-01T00:00:00Z' } });
    await clock.advance(60_000);
    expect(manager.failed('x://1')).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('begin at different times in an agent that has just started', async () => {
    const { clock, checks, runs, begin } = probed({ livenessProbe: probe }, true);
    runs('x://1');
    await begin();
    await clock.advance(14_000);
    expect(checks).toEqual(['Liveness at 5']);
  });
});
