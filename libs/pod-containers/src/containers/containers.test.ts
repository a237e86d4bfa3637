import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeContainerStatus, StoredImage } from '@orch/container-runtime';
import { PodFolders } from '@orch/pod-environment';
import { ManualClock } from '@orch/runtime/testing';
import type { Container, Pod, PodSpec } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { actionsOf } from './actions.js';
import { Backoffs } from './backoffs.js';
import { ContainerConfigs, nextLogNumber } from './container-configs.js';
import { ContainerMounts } from './container-mounts.js';
import { deadRuns } from './dead-runs.js';
import { containerAnnotations, containerLabels, factsOf, podOfLabels, sandboxLabels, specHash } from './labels.js';
import { nothingOf, type ObservedContainer, type ObservedPod, type ObservedSandbox } from './observed-pod.js';
import { SandboxConfigs } from './sandbox-configs.js';
import { containerSecurity, sandboxSecurity } from './security.js';
import { terminationMessage } from './termination-message.js';

const c: Container = { name: 'c', image: 'i' };
const podOf = (spec: PodSpec = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [c], ...spec },
});
const sandbox = (more: Partial<ObservedSandbox> = {}): ObservedSandbox => ({
  ...{ id: 's', state: 'ready', attempt: 0, hostNetwork: false, ips: ['10.0.0.2'] },
  ...more,
});
const run = (name: string, more: Partial<ObservedContainer> = {}): ObservedContainer => ({
  ...{ id: `${name}1`, fullId: `x://${name}1`, sandboxId: 's', name, hash: '', restartCount: 0, state: 'running' },
  ...{ image: 'i', imageId: 'i', createdAt: 0, exitCode: 0, reason: '', message: '' },
  ...more,
});
const observed = (containers: ObservedContainer[], sandboxes = [sandbox()]): ObservedPod => ({
  ...nothingOf('u', 'p', 'ns'),
  sandboxes,
  containers,
});

describe('what is to be done about a pod', () => {
  const of = (pod: Pod, state: ObservedPod, failed: 'Liveness' | 'Startup' | undefined = undefined) => {
    const { killPod, createSandbox, attempt, kill, startEphemeral, startInit, start } = actionsOf(
      pod,
      state,
      () => failed,
    );
    const names = (all: readonly { name?: string }[]) => all.map(({ name }) => name);
    return {
      ...(killPod && { killPod }),
      ...(createSandbox && { sandbox: attempt }),
      ...(kill.length > 0 && { kill: kill.map(({ message }) => message) }),
      ...(startEphemeral.length > 0 && { ephemeral: names(startEphemeral) }),
      ...(startInit && { init: startInit.name }),
      ...(start.length > 0 && { start: names(start) }),
    };
  };
  const init = [{ name: 'i1' }, { name: 'i2' }];
  const ended = (name: string, exitCode = 0) => run(name, { state: 'exited', exitCode });
  const old = sandbox({ state: 'notready' });

  it.each<[string, object, PodSpec, ObservedPod]>([
    ['a new one', { killPod: true, sandbox: 0, start: ['c'] }, {}, observed([], [])],
    [
      'a new one with init containers',
      { killPod: true, sandbox: 0, init: 'i1' },
      { initContainers: init },
      observed([], []),
    ],
    ['one that runs', {}, {}, observed([run('c')])],
    ['one whose container has ended', { start: ['c'] }, {}, observed([ended('c')])],
    ['one that was made and not started', { start: ['c'] }, {}, observed([run('c', { state: 'created' })])],
    ['one that has ended for good', { killPod: true }, { restartPolicy: 'Never' }, observed([ended('c', 1)])],
    ['one that has succeeded', { killPod: true }, { restartPolicy: 'OnFailure' }, observed([ended('c')])],
    ['one that has failed', { start: ['c'] }, { restartPolicy: 'OnFailure' }, observed([ended('c', 1)])],
    [
      'one whose sandbox has ended',
      { killPod: true, sandbox: 1, start: ['c'] },
      {},
      observed([ended('c', 137)], [old]),
    ],
    [
      'one that is over with its sandbox',
      { killPod: true },
      { restartPolicy: 'Never' },
      observed([ended('c', 137)], [old]),
    ],
    [
      'one that has succeeded with its sandbox',
      { killPod: true },
      { restartPolicy: 'OnFailure' },
      observed([ended('c')], [old]),
    ],
    [
      'one with two sandboxes',
      { killPod: true, sandbox: 1, start: ['c'] },
      {},
      observed([run('c')], [sandbox(), sandbox({ id: 't' })]),
    ],
    [
      'one without an address',
      { killPod: true, sandbox: 1, start: ['c'] },
      {},
      observed([run('c')], [sandbox({ ips: [] })]),
    ],
    [
      'one in another network',
      { killPod: true, sandbox: 1, start: ['c'] },
      { hostNetwork: true },
      observed([run('c')]),
    ],
    ['one whose first init container runs', {}, { initContainers: init }, observed([run('i1')])],
    ['one whose first init container has succeeded', { init: 'i2' }, { initContainers: init }, observed([ended('i1')])],
    ['one whose init container has failed', { init: 'i1' }, { initContainers: init }, observed([ended('i1', 1)])],
    [
      'one that init has failed for good',
      { killPod: true },
      { initContainers: init, restartPolicy: 'Never' },
      observed([ended('i1', 1)]),
    ],
    ['one that is initialized', { start: ['c'] }, { initContainers: init }, observed([ended('i2'), ended('i1')])],
    ['one that was initialized long ago', {}, { initContainers: init }, observed([run('c')])],
    [
      'one with an ephemeral container',
      { ephemeral: ['e'] },
      { ephemeralContainers: [{ name: 'e' }] },
      observed([run('c')]),
    ],
    [
      'one with an ephemeral container that has ended',
      {},
      { ephemeralContainers: [{ name: 'e' }] },
      observed([run('c'), ended('e', 1)]),
    ],
    [
      'one whose container is in an unknown state',
      { kill: ['Container is in "unknown" state, try killing it before restart'], start: ['c'] },
      {},
      observed([run('c', { state: 'unknown' })]),
    ],
  ])('is known for %s', (_what, expected, spec, state) => expect(of(podOf(spec), state)).toEqual(expected));

  it('follows probes and changed definitions', () => {
    const kill = ['Container c failed liveness probe, will be restarted'];
    expect(of(podOf(), observed([run('c')]), 'Liveness')).toEqual({ kill, start: ['c'] });
    expect(of(podOf({ restartPolicy: 'Never' }), observed([run('c')]), 'Startup')).toEqual({
      killPod: true,
      kill: ['Container c failed startup probe'],
    });
    expect(of(podOf({ restartPolicy: 'Never' }), observed([run('c', { hash: 'other' })]))).toEqual({
      kill: ['Container c definition changed, will be restarted'],
      start: ['c'],
    });
    expect(of(podOf(), observed([run('c', { hash: specHash(c) })]))).toEqual({});
  });

  it('starts nothing in a pod that is being deleted', () => {
    const deleted = { ...podOf(), metadata: { ...podOf().metadata, deletionTimestamp: 'now' } };
    expect(of(deleted, observed([ended('c', 1)]))).toEqual({ killPod: true });
  });
});

describe('labels', () => {
  it('tell a restarted agent what it has to know', () => {
    const preStop = { exec: { command: ['x'] } };
    const container = {
      ...c,
      lifecycle: { preStop },
      terminationMessagePath: '/m',
      terminationMessagePolicy: 'FallbackToLogsOnError' as const,
    };
    const pod = { ...podOf({ terminationGracePeriodSeconds: 5 }) };
    expect(podOfLabels(sandboxLabels(pod))).toEqual({ uid: 'u', name: 'p', namespace: 'ns' });
    expect(factsOf(containerLabels(pod, container), containerAnnotations(pod, container, 3))).toEqual({
      ...{
        name: 'c',
        hash: specHash(container),
        restartCount: 3,
        messagePath: '/m',
        usesLog: true,
        preStop,
        graceSeconds: 5,
      },
    });
    expect([podOfLabels({}), factsOf({ 'io.kubernetes.container.name': 'c' }, {})]).toEqual([undefined, undefined]);
  });

  it('have the hash of the definition, whatever the order of its members', () => {
    expect(specHash({ name: 'c', image: 'i' })).toBe(specHash({ image: 'i', name: 'c' }));
    expect(specHash({ name: 'c', image: 'j' })).not.toBe(specHash(c));
  });
});

describe('waits', () => {
  it('double, are bounded, and are forgotten', async () => {
    const clock = new ManualClock();
    const backoffs = new Backoffs(clock);
    expect(backoffs.waiting('k')).toBeUndefined();
    const waits: (number | undefined)[] = [];
    for (let failure = 0; failure < 7; failure++) {
      backoffs.next('k');
      waits.push(backoffs.waiting('k'));
      await clock.advance(backoffs.left('k'));
      expect(backoffs.waiting('k')).toBeUndefined();
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    await clock.advance(900_000);
    backoffs.next('k');
    expect(backoffs.waiting('k')).toBe(10_000);
    for (let at = 0; at < 5; at++) backoffs.next(`gone ${at}`);
    expect(backoffs.size).toBe(6);
    await clock.advance(700_000);
    backoffs.next('k');
    expect(backoffs.size).toBe(1);
  });

  it('end though the clock is set back', () => {
    const clock = new ManualClock();
    const backoffs = new Backoffs(clock);
    backoffs.next('k');
    const [began, wall] = [clock.wall(), vi.spyOn(clock, 'wall')];
    wall.mockReturnValue(began - 5_000);
    expect(backoffs.left('k')).toBe(15_000);
    wall.mockReturnValue(began - 3_600_000);
    expect([backoffs.waiting('k'), backoffs.left('k'), backoffs.waiting('k', began)]).toEqual([
      undefined,
      0,
      undefined,
    ]);
  });
});

describe('ended runs', () => {
  it('are removed but for the newest', () => {
    const runs = [
      run('c', { id: '4' }),
      ...['3', '2', '1'].map((id) => run('c', { id, state: 'exited' })),
      run('d', { id: 'd', state: 'exited' }),
    ];
    expect(deadRuns(observed(runs), 1).map(({ id }) => id)).toEqual(['2', '1']);
    expect(deadRuns(observed(runs), 0).map(({ id }) => id)).toEqual(['3', '2', '1']);
    expect(deadRuns(observed(runs), -1)).toEqual([]);
  });
});

describe('privileges', () => {
  const image = (more: Partial<StoredImage> = {}): StoredImage => ({
    id: 'i',
    repoTags: [],
    repoDigests: [],
    size: 1,
    pinned: false,
    ...more,
  });
  const of = (container: Container, spec: PodSpec = {}, own = image(), target?: string) =>
    containerSecurity({ pod: podOf(spec), container, image: own, profiles: '/profiles', ...(target && { target }) });

  it('of a container win over those of the pod', () => {
    const securityContext = {
      runAsUser: 1,
      runAsGroup: 2,
      fsGroup: 3,
      supplementalGroups: [4],
      seccompProfile: { type: 'RuntimeDefault' as const },
    };
    const own = {
      runAsUser: 9,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'Localhost' as const, localhostProfile: 'a.json' },
    };
    expect(of({ name: 'c', securityContext: own }, { securityContext })).toEqual({
      namespaces: { network: 'pod', pid: 'container', ipc: 'pod' },
      runAsUser: 9,
      runAsGroup: 2,
      supplementalGroups: [4, 3],
      capabilities: { add: [], drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      noNewPrivileges: true,
      seccomp: { type: 'localhost', localhostRef: '/profiles/a.json' },
    });
    expect(of(c, {}, image({ username: 'web' })).runAsUserName).toBe('web');
    expect(of(c, {}, image({ uid: 7 })).runAsUser).toBe(7);
  });

  it('say which namespaces are shared', () => {
    const shared = { hostNetwork: true, hostPID: true, hostIPC: true };
    expect(of(c, shared).namespaces).toEqual({ network: 'node', pid: 'node', ipc: 'node' });
    expect(of(c, { shareProcessNamespace: true }).namespaces.pid).toBe('pod');
    expect(of(c, {}, image(), 't').namespaces).toMatchObject({ pid: 'target', targetId: 't' });
    expect(sandboxSecurity(podOf({ containers: [{ securityContext: { privileged: true } }] }), '').privileged).toBe(
      true,
    );
  });

  it.each<[string, object, StoredImage]>([
    ["container's runAsUser breaks non-root policy", { runAsUser: 0 }, image()],
    ['image will run as root', {}, image()],
    ['image will run as root', {}, image({ uid: 0 })],
    ['image has non-numeric user (web)', {}, image({ username: 'web' })],
  ])('are refused: %s', (message, context, own) => {
    expect(() => of({ name: 'c', securityContext: { runAsNonRoot: true, ...context } }, {}, own)).toThrow(message);
  });

  it('without root are given to who is not', () => {
    expect(of({ name: 'c', securityContext: { runAsNonRoot: true } }, {}, image({ uid: 5 })).runAsUser).toBe(5);
  });
});

describe('files of containers', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'containers-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const noMounts = {
    memory: async () => {},
    bind: async () => {},
    disk: async () => {},
    unmount: async () => {},
    mountsBelow: async () => [],
  };

  it('are mounted, with the hosts file and a file for the last words', async () => {
    const container = {
      name: 'c',
      volumeMounts: [{ name: 'v', mountPath: 'data', mountPropagation: 'HostToContainer' as const }],
      terminationMessagePath: '/dev/m',
    };
    const request = {
      pod: podOf(),
      container,
      volumes: new Map([['v', { path: '/v', readOnly: true }]]),
      environment: new Map(),
      podIPs: ['10.0.0.2'],
    };
    const mounts = new ContainerMounts(new PodFolders(folder), noMounts, 'c.local');
    const [volume, hosts, message] = await mounts.of(request);
    expect(volume).toEqual({
      containerPath: '/data',
      hostPath: '/v',
      readOnly: true,
      propagation: 'host-to-container',
    });
    expect(await readFile(hosts?.hostPath ?? '', 'utf8')).toContain('10.0.0.2\tp\n');
    expect(((await stat(message?.hostPath ?? '')).mode & 0o777).toString(8)).toBe('666');
    const missing = { ...request, container: { name: 'c', volumeMounts: [{ name: 'w', mountPath: '/w' }] } };
    await expect(mounts.of(missing)).rejects.toThrow('cannot find volume "w" to mount into container "c"');
    const unknown = {
      ...request,
      container: { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(X)' }] },
    };
    await expect(mounts.of(unknown)).rejects.toThrow('missing value for "X"');
    const escaping = {
      ...request,
      container: { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', subPath: '../x' }] },
    };
    await expect(mounts.of(escaping)).rejects.toThrow("must not contain '..'");
  });

  it('are devices where volumes are block devices', async () => {
    const configs = new ContainerConfigs({
      mounts: { of: async () => [] },
      environment: async () => new Map(),
      resources: () => ({}),
      profiles: '/none',
    });
    const of = async (isDevice: boolean, readOnly = false) => {
      const container = { name: 'c', volumeDevices: [{ name: 'v', devicePath: '/dev/y' }] };
      const sandbox = { logDirectory: folder } as Parameters<ContainerConfigs['of']>[0]['sandbox'];
      const rest = {
        sandbox,
        image: { id: 'i', repoTags: [], repoDigests: [], size: 1, pinned: false },
        restartCount: 0,
        podIPs: [],
      };
      const volumes = new Map([['v', { path: '/dev/x', readOnly, isDevice }]]);
      return (await configs.of({ pod: podOf(), container, volumes, ...rest })).devices;
    };
    const device = { containerPath: '/dev/y', hostPath: '/dev/x' };
    expect(await of(true)).toEqual([{ ...device, permissions: 'mrw' }]);
    expect(await of(true, true)).toEqual([{ ...device, permissions: 'r' }]);
    await expect(of(false)).rejects.toThrow('cannot find volume "v" to pass into container "c"');
  });

  it('number their logs', async () => {
    expect(await nextLogNumber(folder, 'c')).toBe(0);
    await writeFile(join(folder, '0.log'), '');
    await writeFile(join(folder, '2.log.20230101'), '');
    expect(await nextLogNumber(join(folder, '..'), folder.split('/').at(-1) ?? '')).toBe(3);
  });

  it('hold the last words, or the end of the log stands in', async () => {
    const [file, log] = [join(folder, 'm'), join(folder, 'l')];
    const status = (exitCode: number, message = ''): RuntimeContainerStatus => ({
      ...{ id: 'i', metadata: { name: 'c', attempt: 0 }, image: '', imageRef: '', state: 'exited', createdAt: 0 },
      ...{ labels: {}, annotations: {}, exitCode, reason: '', message, logPath: log },
      mounts: [{ containerPath: '/m', hostPath: file }],
    });
    const facts = { name: 'c', hash: '', restartCount: 0, messagePath: '/m', usesLog: true };
    const line = (number: number) => `2023-01-01T00:00:00.000000000Z stdout ${number === 3 ? 'P' : 'F'} line ${number}`;
    await writeFile(log, `${[1, 2, 3, 4].map(line).join('\n')}\n`);
    await writeFile(file, '');
    expect(await terminationMessage(status(1), facts)).toBe('line 1\nline 2\nline 3line 4\n');
    expect(await terminationMessage(status(0), facts)).toBe('');
    expect(await terminationMessage(status(1), { ...facts, usesLog: false })).toBe('');
    await writeFile(file, `${'x'.repeat(5000)}end`);
    expect(await terminationMessage(status(1), facts)).toMatch(/^x{4093}end$/);
    expect(await terminationMessage(status(1, 'oom'), facts)).toMatch(/^oom: x+end$/);
    await writeFile(log, `${Array.from({ length: 200 }, (_, at) => line(at + 10)).join('\n')}\n`);
    await writeFile(file, '');
    const words = await terminationMessage(status(1), facts);
    expect([words.split('\n').length - 1, words.endsWith('line 209\n')]).toEqual([80, true]);
  });

  it('have no last words where a volume with a pipe is mounted in their place', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const status: RuntimeContainerStatus = {
      ...{ id: 'i', metadata: { name: 'c', attempt: 0 }, image: '', imageRef: '', state: 'exited', createdAt: 0 },
      ...{ labels: {}, annotations: {}, exitCode: 0, reason: '', message: '', logPath: '' },
      mounts: [{ containerPath: '/m', hostPath: pipe }],
    };
    const facts = { name: 'c', hash: '', restartCount: 0, messagePath: '/m', usesLog: false };
    expect(await terminationMessage(status, facts)).toBe('');
  });

  it('go with the settings of a sandbox', async () => {
    const sandboxes = new SandboxConfigs({
      logs: folder,
      profiles: '',
      dns: () => ({ clusterDns: ['10.0.0.10'], clusterDomain: 'c', resolvConf: '' }),
      cgroups: { root: [], driver: 'cgroupfs' },
      events: { ofPod() {}, ofNode() {} },
    });
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    const securityContext = {
      sysctls: [
        { name: 'net/ipv4/tcp_syncookies', value: '1' },
        { name: 'kernel.shm_rmid_forced', value: '0' },
      ],
    };
    const config = await sandboxes.of(podOf({ containers: [{ name: 'c', ports }], securityContext }), 2, true);
    expect(config).toMatchObject({
      metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 2 },
      hostname: 'p',
      logDirectory: join(folder, 'ns_p_u'),
      dns: { servers: ['10.0.0.10'] },
      portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIP: '' }],
      cgroupParent: '/kubepods/besteffort/podu',
      sysctls: { 'net.ipv4.tcp_syncookies': '1', 'kernel.shm_rmid_forced': '0' },
    });
    expect(await sandboxes.of(podOf({ hostNetwork: true }), 0, true)).toMatchObject({ hostname: '' });
  });

  it('are warned about when the sandbox is made, and not at each look at the pod', async () => {
    const told: string[] = [];
    const sandboxes = new SandboxConfigs({
      ...{ logs: folder, profiles: '', dns: () => ({ clusterDns: [], clusterDomain: 'c', resolvConf: '' }) },
      events: {
        ofPod: (_pod, _type, reason) => void told.push(`pod ${reason}`),
        ofNode: (_type, reason) => void told.push(`node ${reason}`),
      },
    });
    for (const isNew of [false, true, false]) await sandboxes.of(podOf({}), 0, isNew);
    expect(told).toEqual(['pod MissingClusterDNS', 'node MissingClusterDNS']);
  });
});
