import { FakeCluster } from '@orch/scheduler/testing';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import { expect } from 'vitest';
import type { Answer, Api } from '../support/api.js';
import { PRIORITY_CLASSES } from './profiles.js';
import type { Random } from './random.js';
import { NAMESPACE_LABELS, randomBudgets, randomGroups, randomNode } from './random-cluster.js';
import { NAMESPACES, randomPod } from './random-pods.js';
import type { ReferenceScheduler } from './reference.js';

type Part = Readonly<Record<string, unknown>>;
interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

interface PlacedPod extends Named {
  readonly spec: { readonly nodeName: string; readonly containers: readonly { ports?: readonly object[] }[] };
}

const BUDGETS = 'poddisruptionbudgets';
const POLICY = '/apis/policy/v1';
const APPS = '/apis/apps/v1';

/** A cluster with random objects, and a copy of it in the memory of the test. */
export class Snapshot {
  #markers = 0;

  constructor(
    private readonly api: Api,
    private readonly reference: ReferenceScheduler,
  ) {}

  /** Makes what all snapshots have. */
  async prepare(): Promise<void> {
    for (const body of PRIORITY_CLASSES) await this.#make('/apis/scheduling.k8s.io/v1/priorityclasses', body);
    for (const name of NAMESPACES) {
      await this.#make('/api/v1/namespaces', { metadata: { name, labels: NAMESPACE_LABELS[name] } });
      await this.#make(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    }
    await this.#nodesNoticed();
  }

  /** Makes nodes, pods on them, and everything else. @returns names of the nodes */
  async fill(random: Random): Promise<readonly string[]> {
    await this.#clear();
    this.reference.forget();
    const { services, replicaSets } = randomGroups(random);
    for (const service of services) await this.#in('/api/v1', 'services', service);
    for (const set of replicaSets) await this.#in(APPS, 'replicasets', set);
    for (const { budget, status } of randomBudgets(random)) await this.#budget(budget, status);
    const nodes = random.many(5, 12, (at) => randomNode(random, `n${at}`));
    const names = nodes.map((_, at) => `n${at}`);
    for (const { node } of nodes) await this.#make('/api/v1/nodes', node);
    // The reference counts the nodes that have an image as they were when it last saw a change of the node.
    const metadata = { annotations: { all: 'there' } };
    for (const [at, { taints }] of nodes.entries())
      ok(await this.api.patch(`/api/v1/nodes/n${at}`, 'merge', { metadata, spec: { taints } }));
    for (const pod of portsOnce(random.many(15, 45, (at) => this.#onNode(random, `e${at}`, names))))
      await this.#placed(random, pod);
    for (const pod of random.many(0, 5, (at) =>
      randomPod(random, `w${at}`, names, { schedulingGates: [{ name: 'w' }] }),
    ))
      await this.#nominated(pod, random.pick(names));
    await this.#nodesNoticed();
    await this.podsNoticed();
    return names;
  }

  /** Returns a copy of what is there. */
  async copy(): Promise<FakeCluster> {
    const cluster = new FakeCluster();
    const { informers } = cluster;
    const into = async <T extends Named>(to: { put(key: string, object: T): void }, path: string) => {
      for (const object of await this.#list<T>(path)) {
        const { namespace, name } = object.metadata;
        to.put(namespace ? `${namespace}/${name}` : name, object);
      }
    };
    await into<Node & Named>(informers.nodes, '/api/v1/nodes');
    await into<Pod & Named>(informers.pods, '/api/v1/pods');
    await into(informers.namespaces, '/api/v1/namespaces');
    await into(informers.services, '/api/v1/services');
    await into(informers.replicaSets, `${APPS}/replicasets`);
    await into(informers.podDisruptionBudgets, `${POLICY}/${BUDGETS}`);
    return cluster;
  }

  /** Has a pod have begun at a time of its own: the reference has pods that have not begun in a random order. */
  async began(random: Random, path: string): Promise<void> {
    const startTime = new Date(Date.UTC(2023, 3, 11) + 1_000 * random.between(0, 9_999_999)).toISOString();
    const status = { phase: 'Running', startTime: startTime.replace('.000', '') };
    ok(await this.api.patch(`${path}/status`, 'merge', { status }));
  }

  /** Waits until the reference has noticed every change of pods on nodes so far. */
  async podsNoticed(): Promise<void> {
    const name = `marker${this.#markers++}`;
    const spec = { nodeName: 'nowhere', containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false };
    await this.#make('/api/v1/namespaces/near/pods', { metadata: { name }, spec });
    await this.reference.noticed('"Add event for scheduled pod" pod=', [`near/${name}`]);
    await this.delete(`/api/v1/namespaces/near/pods/${name}`);
    await this.reference.noticed('"Delete event for scheduled pod" pod=', [`near/${name}`]);
  }

  /** Deletes at once. */
  async delete(path: string): Promise<void> {
    ok(await this.api.delete(`${path}?gracePeriodSeconds=0`));
  }

  async #clear(): Promise<void> {
    for (const namespace of NAMESPACES) {
      await this.delete(`/api/v1/namespaces/${namespace}/pods`);
      for (const { metadata } of await this.#list<Named>(`/api/v1/namespaces/${namespace}/services`))
        await this.delete(`/api/v1/namespaces/${namespace}/services/${metadata.name}`);
      await this.delete(`${APPS}/namespaces/${namespace}/replicasets`);
      await this.delete(`${POLICY}/namespaces/${namespace}/${BUDGETS}`);
    }
    await this.delete('/api/v1/nodes');
  }

  /**
   * Waits until the reference has noticed every change of nodes so far: what came before a node on the same watch has
   * been noticed once that node has.
   */
  async #nodesNoticed(): Promise<void> {
    await this.#make('/api/v1/nodes', { metadata: { name: 'marker' } });
    await this.reference.noticed('"Add event for node" node=', ['marker']);
    await this.delete('/api/v1/nodes/marker');
    await this.reference.noticed('"Delete event for node" node=', ['marker']);
  }

  #onNode(random: Random, name: string, nodes: readonly string[]): PlacedPod {
    return randomPod(random, name, nodes, { nodeName: random.pick(nodes) }) as unknown as PlacedPod;
  }

  async #placed(random: Random, pod: PlacedPod): Promise<void> {
    const path = await this.#in('/api/v1', 'pods', pod);
    await this.began(random, path);
    if (random.chance(0.1)) ok(await this.api.delete(path));
  }

  /** Makes a pod that waits for a node; a gate keeps it from ever getting there. */
  async #nominated(pod: object, nominatedNodeName: string): Promise<void> {
    const path = await this.#in('/api/v1', 'pods', pod);
    ok(await this.api.patch(`${path}/status`, 'merge', { status: { nominatedNodeName } }));
  }

  async #budget(budget: Part, status: Part): Promise<void> {
    const path = await this.#in(POLICY, BUDGETS, budget);
    ok(await this.api.patch(`${path}/status`, 'merge', { status }));
  }

  /** @returns path of the object */
  async #in(group: string, resource: string, object: object): Promise<string> {
    const { namespace, name } = (object as unknown as Named).metadata;
    const path = `${group}/namespaces/${namespace}/${resource}`;
    await this.#make(path, object);
    return `${path}/${name}`;
  }

  async #make(path: string, object: object): Promise<void> {
    const answer = await this.api.post(path, object);
    if (answer.status !== 409) ok(answer);
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    return (await this.api.get(path)).json<{ items: readonly T[] }>().items;
  }
}

/** Leaves ports of a node to one pod: where several have the same one, the reference takes it for free once one of them is gone. */
function portsOnce(pods: readonly PlacedPod[]): readonly PlacedPod[] {
  const taken = new Set<string>();
  for (const { spec } of pods) {
    for (const container of spec.containers) {
      if (!container.ports) continue;
      if (taken.has(spec.nodeName)) delete container.ports;
      else taken.add(spec.nodeName);
    }
  }
  return pods;
}

/** Fails with the answer where it is a refusal. */
export function ok(answer: Answer): Answer {
  if (answer.status >= 300) expect.fail(answer.text);
  return answer;
}
