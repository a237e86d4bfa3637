import { checkEvictionAmounts, checkEvictionPeriods, checkThresholds } from '@orch/pod-environment';
import { checkReserved } from './checks.js';
import { checkCpuList, checkPolicyOptions, checkReservedMemory } from './pinning-checks.js';

/** Thresholds that hold when none are set. */
const HARD = ['imagefs.available<15%', 'memory.available<100Mi', 'nodefs.available<10%', 'nodefs.inodesFree<5%'];

/** Options of the machine's resources: how many pods there may be, and what they get. */
export const resourceOptions = {
  'max-pods': { type: 'int', default: 110, min: 0, help: 'Pods that may run on the node.' },
  'pods-per-core': {
    type: 'int',
    default: 0,
    min: 0,
    help: 'Pods per core that may run on the node, at most --max-pods; 0 for --max-pods alone.',
  },
  'pod-max-pids': { type: 'int', default: -1, min: -1, help: 'Processes of a pod; -1 for those that the node allows.' },
  'max-open-files': { type: 'int', default: 1_000_000, min: 0, help: 'Files that the agent may have open.' },
  'oom-score-adj': {
    type: 'int',
    default: -999,
    min: -1000,
    max: 1000,
    help: "The agent's own oom_score_adj: lower values are killed later when memory runs out.",
  },
  'cgroup-driver': {
    type: 'string',
    choices: ['cgroupfs', 'systemd'],
    default: 'cgroupfs',
    help: 'Owner of the cgroups of pods: this agent, or systemd.',
  },
  'cgroup-root': { type: 'string', default: '/', help: 'Cgroup below which those of pods are made.' },
  'cgroups-per-qos': {
    type: 'bool',
    default: true,
    help: 'Whether pods and their classes of service (QoS) have cgroups of their own.',
  },
  'cpu-cfs-quota': { type: 'bool', default: true, help: 'Whether limits of CPU are enforced.' },
  'cpu-cfs-quota-period': {
    type: 'duration',
    default: 100,
    min: 1,
    max: 1_000,
    help: 'Period of the quota by which limits of CPU are enforced.',
  },
  'cpu-manager-policy': {
    type: 'string',
    choices: ['none', 'static'],
    default: 'none',
    help: 'Whether containers with whole CPUs of pods of the class Guaranteed get these for themselves.',
  },
  'cpu-manager-reconcile-period': {
    type: 'duration',
    default: 10_000,
    min: 1,
    help: 'Interval at which the CPUs of containers are compared with those that they were given.',
  },
  'cpu-manager-policy-options': {
    type: 'map',
    check: checkPolicyOptions,
    help: 'Settings of the policy static: full-pcpus-only=true gives away whole cores alone.',
  },
  'reserved-cpus': {
    type: 'string',
    default: '',
    check: checkCpuList,
    help: 'CPUs of the agent and the system, as 0-1,4, instead of the amounts of --kube-reserved and --system-reserved.',
  },
  'memory-manager-policy': {
    type: 'string',
    choices: ['None', 'Static'],
    default: 'None',
    help: 'Whether memory of pods of the class Guaranteed is bound to NUMA nodes.',
  },
  'reserved-memory': {
    type: 'list',
    whole: true,
    check: checkReservedMemory,
    help: 'Memory of a NUMA node that --memory-manager-policy=Static gives to no pod: 0:memory=1Gi,hugepages-2Mi=64Mi. May be used several times; in all as much as the node reserves and keeps free.',
  },
  'enforce-node-allocatable': {
    type: 'list',
    choices: ['none', 'pods', 'system-reserved', 'kube-reserved'],
    default: ['pods'],
    help: 'Groups of processes that are held to their share of the machine.',
  },
  'kube-reserved': {
    type: 'map',
    check: checkReserved('kube-reserved'),
    help: "The agent's share of the machine: cpu=100m,memory=100Mi.",
  },
  'system-reserved': {
    type: 'map',
    check: checkReserved('system-reserved'),
    help: "The operating system's share of the machine: cpu=100m,memory=100Mi.",
  },
  'kube-reserved-cgroup': {
    type: 'string',
    default: '',
    help: 'Cgroup of the agent and the runtime, which is held to --kube-reserved; it has to be there.',
  },
  'system-reserved-cgroup': {
    type: 'string',
    default: '',
    help: 'Cgroup of the operating system, which is held to --system-reserved; it has to be there.',
  },
  'eviction-hard': {
    type: 'list',
    default: HARD,
    check: checkThresholds,
    help: 'Thresholds below which pods are evicted at once: signal<amount or signal<percentage.',
  },
  'eviction-soft': {
    type: 'list',
    check: checkThresholds,
    help: 'Thresholds below which pods are evicted after --eviction-soft-grace-period.',
  },
  'eviction-soft-grace-period': {
    type: 'map',
    check: checkEvictionPeriods,
    help: 'Times that soft thresholds have to be exceeded for: signal=duration.',
  },
  'eviction-minimum-reclaim': {
    type: 'map',
    check: checkEvictionAmounts,
    help: 'Amounts beyond a threshold that are reclaimed once it is exceeded: signal=amount.',
  },
  'eviction-max-pod-grace-period': {
    type: 'int',
    default: 0,
    min: 0,
    unit: 'seconds',
    help: 'Longest grace period of pods that a soft threshold evicts.',
  },
  'eviction-pressure-transition-period': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'Time that a pressure has to be gone before its condition of the node ends.',
  },
  'fail-swap-on': { type: 'bool', default: true, help: 'Whether the agent refuses to start where swap is on.' },
  'enable-controller-attach-detach': {
    type: 'bool',
    default: true,
    help: 'Whether a controller attaches volumes to the node, and not the agent.',
  },
  'local-storage-capacity-isolation': {
    type: 'bool',
    default: true,
    help: 'Whether ephemeral storage is counted and its limits are enforced.',
  },
} as const;
