import type { Random } from '../random.js';
import { isRefusal, mayPass, NAMESPACES, rest, type Traffic } from './context.js';

const NAMES = ['spec-0', 'spec-1'] as const;
/** Longest pause between two calls, ms. */
const MAX_PAUSE = 150;

/**
 * Changes replica sets, whose desired state and status are apart: what becomes of uid and generation is judged by the
 * rows of the database alone, so nothing is recorded here.
 */
export class SpecWriter {
  constructor(
    private readonly traffic: Traffic,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        if (!isRefusal(error) && !mayPass(error)) throw error;
      }
      await rest(this.random.next() * MAX_PAUSE, signal);
    }
  }

  async #step(): Promise<void> {
    const { random, traffic } = this;
    const { client } = random.pick(traffic.direct);
    const ref = { group: 'apps', version: 'v1', resource: 'replicasets', namespace: random.pick(NAMESPACES) };
    const name = random.pick(NAMES);
    const replicas = random.between(0, 3);
    switch (random.weighted({ create: 3, replace: 3, spec: 3, labels: 2, status: 2, delete: 1 })) {
      case 'create':
        await client.create(ref, replicaSet(name, replicas));
        return;
      case 'replace':
        await client.update(ref, replicaSet(name, replicas));
        return;
      case 'spec':
        await client.patch(ref, name, 'merge', { spec: { replicas } });
        return;
      case 'labels':
        await client.patch(ref, name, 'merge', { metadata: { labels: { tier: random.pick(['a', 'b']) } } });
        return;
      case 'status':
        await client.patch(ref, name, 'merge', { status: { replicas } }, {}, { subresource: 'status' });
        return;
      case 'delete':
        await client.delete(ref, name);
    }
  }
}

function replicaSet(name: string, replicas: number) {
  const labels = { app: name };
  const containers = [{ name: 'c', image: 'i' }];
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
