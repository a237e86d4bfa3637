import { namesOf } from '@orch/machinery';
import type { Container, Node, Pod, PodSpec } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { podAnnotations } from '../identity.js';
import { amountsOf, podAmounts } from './amounts.js';
import { cgroupAt, cgroupPath, podCgroup, podsCgroup, uidOfCgroup } from './cgroup-names.js';
import { containerCgroupValues, podCgroupValues, quotaOf, sharesOf } from './cgroup-values.js';
import { parseThresholds } from './eviction-thresholds.js';
import { admissionRefusals } from './node-admission.js';
import { allocatableOf, resourceListOf } from './node-allocatable.js';
import { isCriticalPod, oomScoreAdjust, qosClassOf } from './qos.js';

const container = (requests: object = {}, limits: object = {}): Container => ({
  name: 'c',
  resources: { requests: { ...requests }, limits: { ...limits } },
});
const podOf = (...containers: Container[]): Pod => ({ metadata: { name: 'p', uid: 'a-b' }, spec: { containers } });
const all = { cpu: '1', memory: '1Gi' };

describe('the class of service', () => {
  it.each([
    ['BestEffort', [container()]],
    ['BestEffort', [container({ cpu: '0' }, { 'ephemeral-storage': '1Gi' })]],
    ['Guaranteed', [container(all, all)]],
    ['Guaranteed', [container({ cpu: '1000m', memory: '1024Mi' }, all)]],
    ['Burstable', [container({ cpu: '500m', memory: '1Gi' }, all)]],
    ['Burstable', [container(all, all), container()]],
    ['Burstable', [container({ cpu: '1' }, { cpu: '1' })]],
    ['Burstable', [container({}, { memory: '1Gi' })]],
  ] as const)('is %s', (expected, containers) => expect(qosClassOf(podOf(...containers))).toBe(expected));

  it('looks at init containers too', () => {
    const pod: Pod = { spec: { containers: [container(all, all)], initContainers: [container()] } };
    expect(qosClassOf(pod)).toBe('Burstable');
  });
});

describe('oom_score_adj', () => {
  const GIB = 2n ** 30n;
  it.each([
    [-997, podOf(container(all, all))],
    [1000, podOf(container())],
    [900, podOf(container({ memory: '1Gi' }))],
    [2, podOf(container({ memory: '10Gi' }))],
    [999, podOf(container({ cpu: '1' }))],
  ])('is %i', (expected, pod) => {
    const [first = {}] = pod.spec?.containers ?? [];
    expect(oomScoreAdjust(pod, first, 10n * GIB)).toBe(expected);
  });

  it('protects pods that the node needs', () => {
    const pod: Pod = { spec: { containers: [container()], priorityClassName: 'system-node-critical' } };
    expect(oomScoreAdjust(pod, {}, 1n)).toBe(-997);
  });
});

describe('amounts of a pod', () => {
  it('are the sum of containers, or what an init container needs, and the overhead', () => {
    const spec: PodSpec = {
      containers: [container({ cpu: '100m', memory: '1Gi' }), container({ cpu: '200m' })],
      initContainers: [container({ cpu: '250m', memory: '2Gi' })],
      overhead: { cpu: '10m', memory: '1Mi' },
    };
    expect(podAmounts({ spec }, 'requests')).toEqual(
      new Map([
        ['cpu', 310n],
        ['memory', 2n ** 31n + 2n ** 20n],
      ]),
    );
    expect(podAmounts({ spec }, 'limits')).toEqual(new Map());
  });
});

describe('values of cgroups', () => {
  const quota = { enforced: true, periodMicros: 100_000 };
  it('are bounded', () => {
    expect([0n, 1n, 1000n, 10n ** 9n].map(sharesOf)).toEqual([2, 2, 1024, 262_144]);
    expect([0n, 1n, 500n].map((milli) => quotaOf(milli, 100_000))).toEqual([0, 1000, 50_000]);
  });

  it('of a pod follow its class, and limits that all containers have', () => {
    expect(podCgroupValues(podOf(container()), quota)).toEqual({ cpuShares: 2 });
    expect(podCgroupValues(podOf(container({ cpu: '1' }, { memory: '1Gi' }), container()), quota)).toEqual({
      cpuShares: 1024,
    });
    expect(podCgroupValues(podOf(container(all, all), container(all, all)), quota)).toEqual({
      cpuShares: 2048,
      cpuQuota: 200_000,
      cpuPeriod: 100_000,
      memoryLimit: 2 ** 31,
    });
    expect(podCgroupValues(podOf(container(all, all)), { ...quota, enforced: false }).cpuQuota).toBe(-1);
  });

  it('of a container are its own', () => {
    const limits = { cpu: '500m', memory: '1Mi', 'hugepages-2Mi': '4Mi' };
    expect(containerCgroupValues(podOf(container({}, limits)), container({}, limits), quota, 2n ** 30n)).toEqual({
      cpuShares: 512,
      cpuQuota: 50_000,
      cpuPeriod: 100_000,
      memoryLimit: 2 ** 20,
      oomScoreAdj: 999,
      hugepageLimits: [{ pageSize: '2MB', limit: 4 * 2 ** 20 }],
    });
  });
});

describe('names of cgroups', () => {
  it('are those of the driver', () => {
    const pod = podOf(container({ cpu: '1' }));
    const name = podCgroup(cgroupAt('/'), pod);
    expect(cgroupPath(name, 'cgroupfs')).toBe('/kubepods/burstable/poda-b');
    expect(cgroupPath(name, 'systemd')).toBe(
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda_b.slice',
    );
    expect(cgroupPath(podsCgroup(cgroupAt('/root'), 'BestEffort'), 'cgroupfs')).toBe('/root/kubepods/besteffort');
    expect(cgroupPath(podCgroup([], podOf(container(all, all))), 'cgroupfs')).toBe('/kubepods/poda-b');
    expect(uidOfCgroup('poda-b', 'cgroupfs')).toBe('a-b');
    expect(uidOfCgroup('kubepods-burstable-poda_b.slice', 'systemd')).toBe('a-b');
    expect(uidOfCgroup('burstable', 'cgroupfs')).toBeUndefined();
    expect(uidOfCgroup('kubepods-burstable.slice', 'systemd')).toBeUndefined();
  });
});

describe('what pods can have', () => {
  it('is the capacity without what is reserved and kept free', () => {
    const capacity = amountsOf({ cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' });
    const allocatable = allocatableOf(capacity, {
      agent: new Map([
        ['cpu', '100m'],
        ['memory', '1Gi'],
      ]),
      system: new Map([['memory', '1Gi']]),
      thresholds: parseThresholds(['memory.available<100Mi', 'nodefs.available<10%', 'imagefs.available<15%']),
    });
    expect(resourceListOf(allocatable)).toEqual({
      cpu: '3900m',
      memory: `${6 * 2 ** 20 - 100 * 2 ** 10}Ki`,
      'ephemeral-storage': `${90 * 2 ** 20}Ki`,
      pods: '110',
    });
  });

  it('is never negative, and has no huge pages twice', () => {
    const capacity = amountsOf({ cpu: '1', memory: '1Gi', 'hugepages-2Mi': '512Mi' });
    const reserved = { agent: new Map([['cpu', '2']]), system: new Map(), thresholds: [] };
    expect(resourceListOf(allocatableOf(capacity, reserved))).toEqual({
      cpu: '0',
      memory: '524288Ki',
      'hugepages-2Mi': '524288Ki',
    });
  });
});

describe('admission by the node', () => {
  const node: Node = { metadata: { name: 'n', labels: { zone: 'a', cores: '8' } }, spec: {} };
  const state = (others: Pod[] = [], more: Partial<Node> = {}) => ({
    node: { ...node, ...more },
    allocatable: amountsOf({ cpu: '2', memory: '1Gi', pods: '3' }),
    others,
    isStatic: false,
  });
  const reasons = (pod: Pod, others?: Pod[], more?: Partial<Node>) =>
    admissionRefusals(pod, state(others, more)).map(({ reason }) => reason);

  it('wants resources that are left', () => {
    const used = [podOf(container({ cpu: '1500m' }))];
    expect(admissionRefusals(podOf(container({ cpu: '600m', memory: '2Gi' })), state(used))).toEqual([
      {
        reason: 'OutOfcpu',
        message: "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
        missing: { resource: 'cpu', amount: 100n },
      },
      {
        reason: 'OutOfmemory',
        message: "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
        missing: { resource: 'memory', amount: 2n ** 30n },
      },
    ]);
    const [refusal] = admissionRefusals(podOf(container()), state([podOf(), podOf(), podOf()]));
    expect(refusal?.message).toBe("Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
    expect(reasons(podOf(container({ cpu: '500m' })), used)).toEqual([]);
  });

  it('leaves resources of the cluster to the cluster', () => {
    expect(reasons(podOf(container({ 'example.com/license': '5' })))).toEqual([]);
    expect(reasons(podOf(container({ 'ephemeral-storage': '5' })))).toEqual(['OutOfephemeral-storage']);
  });

  it.each<[string[], PodSpec]>([
    [[], { nodeSelector: { zone: 'a' } }],
    [['NodeAffinity'], { nodeSelector: { zone: 'b' } }],
    [['NodeName'], { nodeName: 'other' }],
    [['PodOSNotSupported'], { os: { name: 'windows' } }],
  ])('answers %o to %o', (expected, spec) => expect(reasons({ spec })).toEqual(expected));

  it.each<[boolean, object]>([
    [true, { key: 'zone', operator: 'In', values: ['a', 'b'] }],
    [false, { key: 'zone', operator: 'NotIn', values: ['a'] }],
    [true, { key: 'none', operator: 'NotIn', values: ['a'] }],
    [true, { key: 'cores', operator: 'Gt', values: ['4'] }],
    [false, { key: 'cores', operator: 'Lt', values: ['8'] }],
    [false, { key: 'zone', operator: 'Gt', values: ['4'] }],
    [true, { key: 'zone', operator: 'Exists' }],
    [true, { key: 'none', operator: 'DoesNotExist' }],
  ])('gives %s for affinity to %o', (expected, requirement) => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{}, { matchExpressions: [requirement] }],
        },
      },
    };
    expect(reasons({ spec: { affinity } })).toEqual(expected ? [] : ['NodeAffinity']);
  });

  it.each([
    ['kernel.msgmax', {}, 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
    ['net/ipv4/tcp_syncookies', {}, undefined],
    [
      'net.ipv4.tcp_syncookies',
      { hostNetwork: true },
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
    ],
    [
      'kernel.shm_rmid_forced',
      { hostIPC: true },
      'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host ipc enabled',
    ],
    ['net/ipv4/conf/eno2.100/forwarding', {}, 'forbidden sysctl: "net.ipv4.conf.eno2/100.forwarding" not allowlisted'],
  ])('lets a pod set %s of the kernel, with %o, or says why not', (name, spec, message) => {
    const pod: Pod = { spec: { containers: [], ...spec, securityContext: { sysctls: [{ name, value: '1' }] } } };
    const [refusal] = admissionRefusals(pod, state([]));
    expect(refusal).toEqual(message && { reason: 'SysctlForbidden', message });
  });

  it('gives a port of the node once', () => {
    const pod = (hostPort: number, more = {}): Pod => ({ spec: { containers: [{ ports: [{ hostPort, ...more }] }] } });
    expect(reasons(pod(80), [pod(80)])).toEqual(['NodePorts']);
    expect(reasons(pod(80), [pod(81), pod(80, { protocol: 'UDP' })])).toEqual([]);
    expect(reasons(pod(80, { hostIP: '10.0.0.1' }), [pod(80, { hostIP: '10.0.0.2' })])).toEqual([]);
    expect(reasons(pod(80, { hostIP: '10.0.0.1' }), [pod(80)])).toEqual(['NodePorts']);
  });

  it('heeds taints that evict, but for static pods', () => {
    const tainted = { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoExecute' as const }] } };
    expect(reasons({ spec: {} }, [], tainted)).toEqual(['TaintToleration']);
    expect(reasons({ spec: { tolerations: [{ key: 'k', value: 'v' }] } }, [], tainted)).toEqual([]);
    expect(reasons({ spec: { tolerations: [{ operator: 'Exists' }] } }, [], tainted)).toEqual([]);
    expect(admissionRefusals({ spec: {} }, { ...state([], tainted), isStatic: true })).toEqual([]);
  });
});

describe('critical pods', () => {
  it('are static ones and those of high priority', () => {
    const annotations = podAnnotations(namesOf('kubernetes'));
    expect(isCriticalPod({ spec: { priority: 2_000_000_000 } }, annotations)).toBe(true);
    expect(isCriticalPod({ spec: { priority: 1_000_000_000 } }, annotations)).toBe(false);
    const file = { metadata: { annotations: { [annotations.source]: 'file' } } };
    expect(isCriticalPod(file, annotations)).toBe(true);
  });
});
