// CPU time of decisions about pods of one kind, in one thread and without any server: `npx tsx --conditions=source
// libs/scheduler/bench/decide.ts [NODES …]`. Every pod is taken for placed at once, as the scheduler does it.
import { type PodInfo, podInfoOf } from '@orch/scheduler-plugins';
import type { Pod, PodSpec } from '@orch/schema/types/core/v1';
import { SchedulingCycle } from '../src/cycle/scheduling-cycle.js';
import { Nominations } from '../src/queue/nominations.js';
import { stateOf } from '../src/testing/explain.js';
import { FakeCluster } from '../src/testing/fake-cluster.js';
import { profilesOf } from '../src/testing/profiles.js';
import { BLIND } from '../src/testing/run-scheduler.js';

const PODS = 4_000;
const APPS = 10;
/** Pods on a full node, and pods that want their place. */
const [FULL, PREEMPTING] = [100, 50];
const labelSelector = (app: string) => ({ matchLabels: { app } });

/** Specs of pods of an application, by the kind of pods. */
const KINDS: Readonly<Record<string, (app: string) => PodSpec>> = {
  plain: () => ({}),
  spread: (app) => ({
    topologySpreadConstraints: [
      {
        ...{ topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'DoNotSchedule' },
        labelSelector: labelSelector(app),
      },
      {
        ...{ topologyKey: 'kubernetes.io/hostname', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
        labelSelector: labelSelector(app),
      },
    ],
  }),
  antiAffinity: (app) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: labelSelector(app) },
        ],
      },
    },
  }),
  affinity: (app) => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'topology.kubernetes.io/zone', labelSelector: labelSelector(app) },
        ],
      },
    },
  }),
  preferred: (app) => ({
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: labelSelector(app) },
          },
        ],
      },
    },
  }),
};

function podOf(at: number, kind: (app: string) => PodSpec): Pod {
  const app = `app-${at % APPS}`;
  const requests = { cpu: '100m', memory: '128Mi' };
  return {
    metadata: { namespace: 'default', name: `p${at}`, uid: `${at}`, labels: { app } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...kind(app) },
  };
}

/** A cluster of empty nodes of 32 CPUs in three zones, and what decides about its pods. */
function open(nodes: number) {
  const cluster = new FakeCluster();
  for (let at = 0; at < nodes; at++)
    cluster.node(`n${at}`, {
      labels: { 'topology.kubernetes.io/zone': `z${at % 3}` },
      allocatable: { cpu: '32', memory: '64Gi' },
    });
  const state = stateOf(cluster);
  const [profile] = profilesOf({}, cluster);
  if (!profile) throw new Error('there is no profile');
  const { informers, clock } = cluster;
  const cycle = new SchedulingCycle({
    ...{ informers, clock, random: Math.random, view: state, observer: BLIND },
    nominations: new Nominations(),
  });
  return { state, decide: (pod: PodInfo) => cycle.decide(pod, profile) };
}

/** Returns a function that tells the microseconds of CPU time since now. */
function stopwatch(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
}

async function run(nodes: number, kind: (app: string) => PodSpec): Promise<number> {
  const { state, decide } = open(nodes);
  const taken = stopwatch();
  for (let at = 0; at < PODS; at++) {
    const pod = podInfoOf(podOf(at, kind));
    const decision = await decide(pod);
    if (!('node' in decision)) throw new Error('message' in decision ? decision.message : String(decision.error));
    state.assume(pod, decision.node);
  }
  return taken() / PODS;
}

/** The same about pods that need the place of others: nodes are full of small pods of no priority. */
async function runPreemption(nodes: number): Promise<number> {
  const { state, decide } = open(nodes);
  for (let at = 0; at < nodes * FULL; at++) state.setPod(podInfoOf(podOf(at, () => ({}))), `n${at % nodes}`);
  const requests = { cpu: '30', memory: '1Gi' };
  const spec = { priority: 1_000, containers: [{ name: 'c', image: 'i', resources: { requests } }] };
  const taken = stopwatch();
  for (let at = 0; at < PREEMPTING; at++) {
    const decision = await decide(podInfoOf({ ...podOf(at, () => ({})), spec }));
    if (!('candidate' in decision) || !decision.candidate) throw new Error('there are no victims');
  }
  return taken() / PREEMPTING;
}

const sizes = process.argv.slice(2).map(Number);
for (const nodes of sizes.length > 0 ? sizes : [1_000, 5_000]) {
  for (const [name, kind] of Object.entries(KINDS).filter(([name]) => (process.env.BENCH_KIND ?? name) === name)) {
    await run(nodes, kind);
    console.log(`${nodes} nodes, ${name}: ${Math.round(await run(nodes, kind))} µs of CPU a pod`);
  }
  if ((process.env.BENCH_KIND ?? 'preemption') === 'preemption')
    console.log(`${nodes} nodes, preemption: ${Math.round(await runPreemption(nodes))} µs of CPU a pod`);
}
