import type { PodSpec } from '@orch/schema/types/core/v1';
import { expect, it } from 'vitest';
import { explain } from '../testing/explain.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { profilesOf } from '../testing/profiles.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import { seeded } from '../testing/seeded.js';

const STEPS = 150;
/** Longer than any backoff, and shorter than the time after which pods are tried again though nothing has changed. */
const CALM_MS = 60_000;
const SEEDS = Array.from({ length: 30 }, (_, at) => 1 + at);

/** A cluster that changes at random, whose API fails now and then. */
class RandomRun {
  readonly cluster = new FakeCluster();
  #pods = 0;
  #fails = true;

  constructor(private readonly random: () => number) {
    this.cluster.onWrite = () => {
      if (this.#fails && this.random() < 0.15) throw new Error('refused');
    };
  }

  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** Makes one change. */
  step(): void {
    const change = this.pick([
      'pod',
      'pod',
      'pod',
      'node',
      'nodeGone',
      'label',
      'delete',
      'gone',
      'again',
      'elsewhere',
      'gate',
      'end',
    ]);
    const keys = [...this.cluster.informers.pods.keys()];
    const key = keys.length > 0 ? this.pick(keys) : undefined;
    if (change === 'pod') this.#makePod(`p${this.#pods++}`);
    else if (change === 'node') this.#makeNode(this.pick(['a', 'b', 'c', 'd']));
    else if (change === 'nodeGone')
      this.chance(0.3) && this.cluster.informers.nodes.remove(this.pick(['a', 'b', 'c', 'd']));
    else if (key) this.#changePod(change, key);
  }

  /** From now on all writes succeed, and those who are on their way out are gone. */
  calm(): void {
    this.#fails = false;
    this.removeTerminating();
  }

  removeTerminating(): void {
    for (const [key, { metadata }] of this.#entries()) if (metadata?.deletionTimestamp) this.cluster.remove(key);
  }

  /** What is wrong with the cluster: pods that wait though there is room, and nodes with too much on them. */
  async faults(): Promise<readonly string[]> {
    const { cluster } = this;
    const [profile] = profilesOf({}, cluster);
    const faults: string[] = [];
    for (const [key, pod] of this.#entries()) {
      const isDone = pod.spec?.nodeName !== undefined || pod.status?.phase === 'Succeeded';
      if (isDone || (pod.spec?.schedulingGates ?? []).length > 0 || !profile) continue;
      const { reasons = {} } = await explain(cluster, pod, profile);
      const fitting = Object.keys(reasons).filter((name) => reasons[name] === '');
      if (fitting.length > 0) faults.push(`${key} waits, and fits on ${fitting}: ${cluster.message(key)}`);
    }
    return faults;
  }

  #entries() {
    const { pods } = this.cluster.informers;
    return [...pods.keys()].flatMap((key) => {
      const pod = pods.get(key);
      return pod ? [[key, pod] as const] : [];
    });
  }

  #makeNode(name: string): void {
    const taints = this.chance(0.2) ? [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] : [];
    this.cluster.node(name, {
      labels: { zone: this.pick(['x', 'y']), ...(this.chance(0.5) && { disk: 'ssd' }) },
      allocatable: { cpu: this.pick(['2', '4', '8']), pods: this.pick(['3', '10']) },
      spec: { taints, ...(this.chance(0.15) && { unschedulable: true }) },
    });
  }

  #makePod(name: string): void {
    const app = this.pick(['web', 'db']);
    const labelSelector = { matchLabels: { app } };
    const term = [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: this.pick(['web', 'db']) } } }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: term };
    const spec: PodSpec = {
      priority: this.pick([0, 0, 10, 20]),
      ...(this.chance(0.2) && { affinity: { podAffinity: required } }),
      ...(this.chance(0.2) && { affinity: { podAntiAffinity: required } }),
      ...(this.chance(0.3) && {
        topologySpreadConstraints: [
          { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector },
        ],
      }),
      ...(this.chance(0.2) && { nodeSelector: { disk: 'ssd' } }),
      ...(this.chance(0.2) && { schedulingGates: [{ name: 'g' }] }),
    };
    this.cluster.pod(name, { labels: { app }, requests: { cpu: this.pick(['500m', '1', '3']) }, spec });
  }

  #changePod(change: string, key: string): void {
    const { cluster } = this;
    const name = key.split('/')[1] ?? '';
    if (change === 'label')
      cluster.update(key, (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, labels: { app: this.pick(['web', 'db']) } },
      }));
    else if (change === 'delete')
      cluster.update(key, (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, deletionTimestamp: '2023-04-11T00:00:00Z' },
      }));
    else if (change === 'gone') cluster.remove(key);
    else if (change === 'again') this.#makePod(name);
    else if (change === 'end')
      cluster.update(key, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }));
    else if (change === 'gate') cluster.update(key, (pod) => ({ ...pod, spec: { ...pod.spec, schedulingGates: [] } }));
    else if (!cluster.informers.pods.get(key)?.spec?.nodeName)
      cluster.update(key, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: this.pick(['a', 'b', 'c', 'd']) } }));
  }
}

it.each(SEEDS)('leaves no pod waiting that fits: seed %i', async (seed) => {
  const random = seeded(seed);
  const run = new RandomRun(random);
  const scheduler = runScheduler(run.cluster);
  for (let step = 0; step < STEPS; step++) {
    run.step();
    // Some changes come while the scheduler decides and writes, others once it has.
    if (run.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
    if (run.chance(0.2)) await run.cluster.clock.advance(Math.floor(random() * 3_000));
    if (run.chance(0.2)) run.removeTerminating();
  }
  run.calm();
  await settled(scheduler);
  for (let round = 0; round < 5; round++) {
    await run.cluster.clock.advance(CALM_MS / 5);
    await settled(scheduler);
    run.removeTerminating();
  }
  await run.cluster.clock.advance(CALM_MS);
  await settled(scheduler);
  expect(await run.faults()).toEqual([]);
  expect(scheduler.sizes.assumedPods).toBe(0);
  expect(scheduler.pending).toMatchObject({ active: 0, backoff: 0 });
  await scheduler.stop();
});
