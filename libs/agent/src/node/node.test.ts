import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type Client } from '@orch/client';
import { type ApiObject, alreadyExists, namesOf, notFound } from '@orch/machinery';
import { parseThresholds } from '@orch/pod-environment';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Lease } from '@orch/schema/types/coordination/v1';
import type { Node, NodeStatus } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { type Machine, readMachine } from './machine.js';
import { nodeIPs, nodeNameOf } from './node-addresses.js';
import { nodeConditions } from './node-conditions.js';
import { healthProblems } from './node-health.js';
import { NodeLease } from './node-lease.js';
import {
  attachAnnotation,
  defaultLabels,
  type NodeObjectSettings,
  nodeObject,
  withGivenResources,
} from './node-object.js';
import { registerNode } from './node-registration.js';
import { NodeStatusReporter } from './node-status-reporter.js';

const names = namesOf('kubernetes');
const GIB = 2n ** 30n;
const machine: Machine = {
  cpus: 4,
  memoryBytes: 8n * GIB,
  storageBytes: 100n * GIB,
  hugePages: new Map([['2Mi', 0n]]),
  architecture: 'amd64',
  kernelVersion: '6.1',
  osImage: 'Debian',
  machineId: 'm',
  systemUuid: 's',
  bootId: 'b',
};
const settings = (more: Partial<NodeObjectSettings> = {}): NodeObjectSettings => ({
  name: 'n1',
  names,
  hostname: 'n1',
  labels: new Map([['example.com/x', '1']]),
  taints: ['k=v:NoSchedule'],
  controllerAttaches: true,
  maxPods: 110,
  podsPerCore: 0,
  reserved: {
    agent: new Map([['cpu', '500m']]),
    system: new Map(),
    thresholds: parseThresholds(['memory.available<1Gi']),
  },
  countsStorage: true,
  port: 10_250,
  maxImages: 1,
  ...more,
});
const image = (name: string, size: number) => ({
  id: name,
  repoTags: [name],
  repoDigests: [`${name}@sha256:1`],
  size,
  pinned: false,
});
const facts = {
  machine,
  ips: ['10.0.0.5'],
  runtimeVersion: 'containerd://1.6',
  images: [image('a', 1), image('b', 2)],
};

describe('the machine', () => {
  it('is read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'machine-'));
    const read = await readMachine(folder);
    rmdirSync(folder);
    expect(read.cpus).toBeGreaterThan(0);
    expect(read.memoryBytes).toBeGreaterThan(2n ** 20n);
    expect(read.storageBytes).toBeGreaterThan(2n ** 20n);
    expect(read.bootId).not.toBe('');
    expect(read.architecture).toMatch(/^(amd64|arm64)$/);
  });
});

describe('the addresses of a node', () => {
  const own = [
    { address: '127.0.0.1', internal: true },
    { address: 'fe80::1', internal: false },
    { address: 'fd00::5', internal: false },
    { address: '10.0.0.5', internal: false },
  ];
  it('are those that are asked for, or the first', () => {
    expect(nodeIPs([], own)).toEqual(['10.0.0.5']);
    expect(nodeIPs(['::'], own)).toEqual(['fd00::5']);
    expect(nodeIPs(['fd00::5', '10.0.0.5'], own)).toEqual(['fd00::5', '10.0.0.5']);
    expect(() => nodeIPs(['127.0.0.1'], own)).toThrow("can't be a loopback");
    expect(() => nodeIPs(['10.0.0.6'], own)).toThrow("not found in the host's network interfaces");
    expect(() => nodeIPs([], own.slice(0, 2))).toThrow('no address');
  });
  it('go with a name in lower case', () => {
    expect([nodeNameOf('Host-1', undefined), nodeNameOf('x', ' Other ')]).toEqual(['host-1', 'other']);
    expect(() => nodeNameOf('', undefined)).toThrow('empty hostname');
  });
});

describe('the object of a node', () => {
  it('says what the machine has and what pods can have of it', () => {
    const node = nodeObject(settings(), facts);
    expect(node.metadata?.labels).toEqual({
      'example.com/x': '1',
      'kubernetes.io/hostname': 'n1',
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/arch': 'amd64',
    });
    expect(node.metadata?.annotations).toEqual({ 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' });
    expect(node.spec?.taints).toEqual([{ key: 'k', value: 'v', effect: 'NoSchedule' }]);
    expect(node.status).toMatchObject({
      capacity: {
        cpu: '4',
        memory: '8388608Ki',
        'ephemeral-storage': '104857600Ki',
        'hugepages-2Mi': '0',
        pods: '110',
      },
      allocatable: { cpu: '3500m', memory: '7340032Ki', pods: '110' },
      addresses: [
        { type: 'InternalIP', address: '10.0.0.5' },
        { type: 'Hostname', address: 'n1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      nodeInfo: { containerRuntimeVersion: 'containerd://1.6', osImage: 'Debian', operatingSystem: 'linux' },
      images: [{ names: ['b@sha256:1', 'b'], sizeBytes: 2 }],
    });
  });

  it('has as many pods as its cores may have', () => {
    expect(nodeObject(settings({ podsPerCore: 5 }), facts).status?.capacity?.pods).toBe('20');
    expect(nodeObject(settings({ podsPerCore: 50 }), facts).status?.capacity?.pods).toBe('110');
    expect(nodeObject(settings({ maxImages: -1 }), facts).status?.images).toHaveLength(2);
    expect(
      nodeObject(settings({ countsStorage: false }), facts).status?.capacity?.['ephemeral-storage'],
    ).toBeUndefined();
  });
});

describe('resources that others have given a node', () => {
  it('stay as they are, and pods can have them whole', () => {
    const own: NodeStatus = { capacity: { cpu: '4' }, allocatable: { cpu: '3' } };
    const known = { capacity: { cpu: '2', 'example.com/foo': '5', 'hugepages-1Gi': '1Gi' }, allocatable: {} };
    expect(withGivenResources(own, known)).toEqual({
      capacity: { cpu: '4', 'example.com/foo': '5' },
      allocatable: { cpu: '3', 'example.com/foo': '5' },
    });
    const withdrawn = { capacity: { cpu: '4' }, allocatable: { cpu: '3', 'example.com/foo': '5' } };
    expect(withGivenResources(own, withdrawn)).toBe(own);
  });
});

describe('the conditions of a node', () => {
  const healthy = { problems: [], memoryPressure: false, diskPressure: false, pidPressure: false };
  it('follow its health; changes are reported, and times of transitions kept', () => {
    const events: string[] = [];
    const sink = {
      name: 'n1',
      events: { ofPod() {}, ofNode: (_type: string, reason: string) => void events.push(reason) },
    };
    const first = nodeConditions([{ type: 'NetworkUnavailable', status: 'False' }], healthy, 't1', sink);
    expect(first.map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`)).toEqual([
      'NetworkUnavailable False ',
      'MemoryPressure False KubeletHasSufficientMemory',
      'DiskPressure False KubeletHasNoDiskPressure',
      'PIDPressure False KubeletHasSufficientPID',
      'Ready True KubeletReady',
    ]);
    expect(events.splice(0)).toEqual([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeReady',
    ]);
    const second = nodeConditions(first, { ...healthy, problems: ['a', 'b'], memoryPressure: true }, 't2', sink);
    expect(events).toEqual(['NodeHasInsufficientMemory', 'NodeNotReady']);
    expect(second.at(-1)).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message: '[a, b]',
      lastHeartbeatTime: 't2',
      lastTransitionTime: 't2',
    });
    expect(second.find(({ type }) => type === 'DiskPressure')).toMatchObject({
      lastHeartbeatTime: 't2',
      lastTransitionTime: 't1',
    });
  });

  it('tell what is wrong', async () => {
    const condition = (type: string, status: boolean) => ({ type, status, reason: 'R', message: 'm' });
    const problems = (
      conditions: () => Promise<ReturnType<typeof condition>[]>,
      relistAgeMs = 0,
      missingCapacity: string[] = [],
    ) => healthProblems({ runtime: { conditions }, relistAgeMs, missingCapacity });
    expect(await problems(async () => [condition('RuntimeReady', true), condition('NetworkReady', true)])).toEqual([]);
    expect(await problems(async () => [condition('NetworkReady', false)])).toEqual([
      'container runtime network not ready: NetworkReady=false reason:R message:m',
    ]);
    expect(await problems(() => Promise.reject(new Error('no')))).toEqual(['container runtime is down: no']);
    expect(await problems(async () => [], 200_000)).toEqual([
      'PLEG is not healthy: pleg was last seen active 200s ago; threshold is 3m0s',
    ]);
    expect(await problems(async () => [], 0, ['memory'])).toEqual(['missing node capacity for resources: memory']);
  });
});

const status = (reason: 'exists' | 'missing', resource: string) =>
  new ApiError((reason === 'exists' ? alreadyExists : notFound)({ group: '', resource }, 'n1').status);

describe('registration', () => {
  function registered(known: Node | undefined, failures = 0) {
    const calls: unknown[] = [];
    const clock = new ManualClock();
    let left = failures;
    const client = {
      async create(_ref: unknown, node: Node) {
        if (left-- > 0) throw new Error('down');
        if (known) throw status('exists', 'nodes');
        calls.push('create');
        return { ...node, metadata: { ...node.metadata, uid: 'u' } };
      },
      get: async () => known,
      async patch(_ref: unknown, _name: string, _type: string, patch: object) {
        calls.push(patch);
        return known;
      },
    } as unknown as Pick<Client, 'create' | 'get' | 'patch'>;
    const abort = new AbortController();
    const node = nodeObject(settings(), facts);
    const done = registerNode(node, {
      client,
      defaultLabels: defaultLabels(settings(), machine),
      attachAnnotation: attachAnnotation(names),
      clock,
      logger: silentLogger,
      signal: abort.signal,
    });
    return { calls, clock, done, abort };
  }

  it('creates the node, as often as it takes', async () => {
    const { calls, clock, done } = registered(undefined, 3);
    await clock.advance(10_000);
    expect((await done)?.metadata?.uid).toBe('u');
    expect(calls).toEqual(['create']);
  });

  it('keeps what others have given a node, and gives it its own labels', async () => {
    const { calls, done } = registered({
      metadata: { labels: { 'kubernetes.io/os': 'linux', role: 'x' }, annotations: { a: 'b' } },
    });
    await done;
    expect(calls).toEqual([
      {
        metadata: {
          labels: {
            'kubernetes.io/hostname': 'n1',
            'beta.kubernetes.io/os': 'linux',
            'kubernetes.io/arch': 'amd64',
            'beta.kubernetes.io/arch': 'amd64',
          },
          annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
        },
      },
    ]);
  });

  it('ends when it is told to', async () => {
    const { clock, done, abort } = registered(undefined, 1_000);
    await clock.advance(1_000);
    abort.abort();
    expect(await done).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});

describe('the status of the node', () => {
  it('is sent when it has changed, and from time to time', async () => {
    const clock = new ManualClock();
    let stored: Node & ApiObject = {
      metadata: { name: 'n1' },
      status: {
        capacity: { cpu: '4', 'hugepages-1Gi': '1Gi', 'example.com/foo': '5' },
        addresses: [{ type: 'InternalIP', address: '10.0.0.4' }],
      },
    };
    const patches: { status: NodeStatus & Record<string, unknown> }[] = [];
    let problems: string[] = [];
    const client = {
      get: async () => stored,
      async patch(
        _ref: unknown,
        _name: string,
        type: string,
        body: { status: NodeStatus },
        _query: unknown,
        options: object,
      ) {
        expect([type, options]).toEqual(['strategic', { subresource: 'status' }]);
        patches.push(body as never);
        const { addresses, ...rest } = body.status;
        stored = {
          ...stored,
          status: { ...stored.status, ...rest, ...(addresses && { addresses: addresses.slice(0, -1) }) },
        };
        return stored;
      },
    } as unknown as Pick<Client, 'get' | 'patch'>;
    const own: NodeStatus = { capacity: { cpu: '4' }, addresses: [{ type: 'InternalIP', address: '10.0.0.5' }] };
    const reporter = new NodeStatusReporter({
      client,
      name: 'n1',
      known: () => undefined,
      status: async () => own,
      health: async () => ({ problems, memoryPressure: false, diskPressure: false, pidPressure: false }),
      updateMs: 10_000,
      reportMs: 300_000,
      events: { ofPod() {}, ofNode() {} },
      clock,
      logger: silentLogger,
    });
    await reporter.start();
    expect(patches).toHaveLength(1);
    expect(patches[0]?.status).toMatchObject({
      capacity: { cpu: '4', 'hugepages-1Gi': null, 'example.com/foo': '5' },
      allocatable: { 'example.com/foo': '5' },
      addresses: [{ type: 'InternalIP', address: '10.0.0.5' }, { $patch: 'replace' }],
    });
    stored = { ...stored, status: { ...stored.status, capacity: { cpu: '4', 'example.com/foo': '5' } } };
    await clock.advance(60_000);
    expect(patches).toHaveLength(1);
    problems = ['x'];
    await clock.advance(10_000);
    expect(patches).toHaveLength(2);
    expect(Object.keys(patches[1]?.status ?? {})).toEqual(['conditions']);
    await clock.advance(300_000);
    expect(patches).toHaveLength(3);
    await reporter.stop();
    expect(clock.pending).toBe(0);
  });

  it('leaves conditions of others alone, which may have changed since it was seen', async () => {
    const sent: (string | undefined)[] = [];
    const conditions = [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRoute' }];
    const reporter = new NodeStatusReporter({
      client: {
        async patch(_ref: unknown, _name: string, _type: string, { status }: { status: NodeStatus }) {
          sent.push(...(status.conditions ?? []).map(({ type }) => type));
        },
      } as unknown as Pick<Client, 'get' | 'patch'>,
      ...{ name: 'n1', known: () => ({ metadata: { name: 'n1' }, status: { conditions } }), status: async () => ({}) },
      health: async () => ({ problems: [], memoryPressure: false, diskPressure: false, pidPressure: false }),
      ...{ updateMs: 10_000, reportMs: 300_000, clock: new ManualClock(), logger: silentLogger },
      events: { ofPod() {}, ofNode() {} },
    });
    await reporter.start();
    await reporter.stop();
    expect(sent).toEqual(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']);
  });

  it('does not read a node that is followed, unless a write fails', async () => {
    const clock = new ManualClock();
    const state = { known: undefined as (Node & ApiObject) | undefined, reads: 0, patches: 0, isDown: false, cpu: '4' };
    const reporter = new NodeStatusReporter({
      client: {
        async get() {
          state.reads++;
          return { metadata: { name: 'n1' } };
        },
        async patch(_ref: unknown, _name: string, _type: string, { status }: { status: NodeStatus }) {
          if (state.isDown) throw new Error('down');
          state.patches++;
          state.known = { metadata: { name: 'n1' }, status };
          return state.known;
        },
      } as unknown as Pick<Client, 'get' | 'patch'>,
      ...{ name: 'n1', known: () => state.known, status: async () => ({ capacity: { cpu: state.cpu } }) },
      health: async () => ({ problems: [], memoryPressure: false, diskPressure: false, pidPressure: false }),
      ...{ updateMs: 10_000, reportMs: 300_000, clock, logger: silentLogger },
      events: { ofPod() {}, ofNode() {} },
    });
    await reporter.start();
    await clock.advance(200_000);
    expect(state).toMatchObject({ reads: 1, patches: 1 });
    Object.assign(state, { cpu: '8', isDown: true });
    await clock.advance(10_000);
    expect(state).toMatchObject({ reads: 5, patches: 1 });
    state.isDown = false;
    await clock.advance(10_000);
    expect(state).toMatchObject({ reads: 5, patches: 2 });
    await reporter.stop();
  });
});

describe('a machine that was started anew', () => {
  it('is told once, as an event', async () => {
    const nodeInfo = { bootID: 'before' } as NonNullable<NodeStatus['nodeInfo']>;
    let stored: Node & ApiObject = { metadata: { name: 'n1' }, status: { nodeInfo } };
    const told: string[] = [];
    const clock = new ManualClock();
    const reporter = new NodeStatusReporter({
      client: {
        get: async () => stored,
        patch: async (_ref: unknown, _name: string, _type: string, { status }: { status: NodeStatus }) => {
          stored = { ...stored, status: { ...stored.status, ...status } };
          return stored;
        },
      } as unknown as Pick<Client, 'get' | 'patch'>,
      ...{ name: 'n1', known: () => undefined, status: async () => ({ nodeInfo: { ...nodeInfo, bootID: 'now' } }) },
      health: async () => ({ problems: [], memoryPressure: false, diskPressure: false, pidPressure: false }),
      ...{ updateMs: 10_000, reportMs: 10_000, clock, logger: silentLogger },
      events: { ofPod() {}, ofNode: (type, reason, message) => void told.push(`${type} ${reason}: ${message}`) },
    });
    await reporter.start();
    await clock.advance(30_000);
    await reporter.stop();
    expect(told.filter((line) => line.includes('Rebooted'))).toEqual([
      'Warning Rebooted: Node n1 has been rebooted, boot id: now',
    ]);
  });
});

describe('the lease of the node', () => {
  function leased() {
    const clock = new ManualClock();
    const state: { stored: (Lease & ApiObject) | undefined; isDown: boolean; version: number } = {
      stored: undefined,
      isDown: false,
      version: 0,
    };
    const calls: string[] = [];
    const write = (lease: Lease & ApiObject) => {
      state.stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++state.version) } };
      return state.stored;
    };
    const client = {
      names,
      async get() {
        calls.push('get');
        if (!state.stored) throw status('missing', 'leases');
        return state.stored;
      },
      async create(_ref: unknown, lease: Lease & ApiObject) {
        calls.push('create');
        return write(lease);
      },
      async update(_ref: unknown, lease: Lease & ApiObject) {
        calls.push('update');
        if (state.isDown) throw new Error('down');
        if (lease.metadata?.resourceVersion !== String(state.version)) throw new Error('conflict');
        return write(lease);
      },
    } as unknown as Pick<Client, 'get' | 'create' | 'update' | 'names'>;
    const lease = new NodeLease({
      client,
      name: 'n1',
      nodeUid: () => 'u',
      durationSeconds: 40,
      clock,
      logger: silentLogger,
    });
    return { clock, state, calls, lease };
  }

  it('is created and then renewed each 10 s, without reading it', async () => {
    const { clock, state, calls, lease } = leased();
    await lease.start();
    expect(state.stored).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'n1', namespace: 'kube-node-lease', ownerReferences: [{ kind: 'Node', name: 'n1', uid: 'u' }] },
      spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2023-04-11T00:00:00.000000Z' },
    });
    await clock.advance(20_000);
    expect(calls).toEqual(['get', 'create', 'update', 'update']);
    expect(state.stored?.spec?.renewTime).toBe('2023-04-11T00:00:20.000000Z');
    await lease.stop();
    expect(clock.pending).toBe(0);
  });

  it('is read again after a conflict, and tried five times at most', async () => {
    const { clock, state, calls, lease } = leased();
    await lease.start();
    state.version = 7;
    state.stored = { ...state.stored, metadata: { ...state.stored?.metadata, resourceVersion: '7' } } as Lease &
      ApiObject;
    calls.length = 0;
    await clock.advance(10_000);
    expect(calls).toEqual(['update', 'get', 'update']);
    state.isDown = true;
    calls.length = 0;
    await clock.advance(10_000);
    expect(calls.filter((call) => call === 'update')).toHaveLength(5);
    await lease.stop();
  });
});
