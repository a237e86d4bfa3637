import { FakeCluster } from '@orch/scheduler/testing';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import { expect } from 'vitest';
import type { Answer, Api } from '../support/api.js';
import { PRIORITY_CLASSES } from './profiles.js';
import type { Random } from './random.js';
import { NAMESPACE_LABELS, randomBudgets, randomGroups, randomNode } from './random-cluster.js';
import { NAMESPACES, randomPod, type Surroundings } from './random-pods.js';
import type { ReferenceScheduler } from './reference.js';
import { CLAIM_NAMES, FOR_ONE_POD, volumeObjects } from './volumes.js';

type Part = Readonly<Record<string, unknown>>;
interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

interface MadePod extends Named {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { ports?: readonly object[] }[];
    volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

const MOST_NODES = 12;
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
    const names = Array.from({ length: MOST_NODES }, (_, at) => `n${at}`);
    for (const [path, object] of volumeObjects(names)) await this.#make(path, object);
    await this.#nodesNoticed();
  }

  /** Makes nodes, pods on them, and everything else. @returns what further pods may name */
  async fill(random: Random): Promise<Surroundings> {
    await this.#clear();
    this.reference.forget();
    const { services, replicaSets } = randomGroups(random);
    for (const service of services) await this.#in('/api/v1', 'services', service);
    for (const set of replicaSets) await this.#in(APPS, 'replicasets', set);
    for (const { budget, status } of randomBudgets(random)) await this.#budget(budget, status);
    const nodes = random.many(5, MOST_NODES, (at) => randomNode(random, `n${at}`));
    const names = nodes.map((_, at) => `n${at}`);
    const around = { nodes: names, claims: CLAIM_NAMES };
    for (const { node } of nodes) await this.#make('/api/v1/nodes', node);
    // The reference counts the nodes that have an image as they were when it last saw a change of the node.
    const metadata = { annotations: { all: 'there' } };
    for (const [at, { taints }] of nodes.entries())
      ok(await this.api.patch(`/api/v1/nodes/n${at}`, 'merge', { metadata, spec: { taints } }));
    const placed = random.many(15, 45, (at) => podOf(random, `e${at}`, around, { nodeName: random.pick(names) }));
    for (const pod of withoutCollisions(placed)) await this.#placed(random, pod);
    const gated = { schedulingGates: [{ name: 'w' }] };
    for (const pod of withoutCollisions(random.many(0, 5, (at) => podOf(random, `w${at}`, around, gated))))
      await this.#nominated(pod, random.pick(names));
    await this.#nodesNoticed();
    await this.podsNoticed();
    return around;
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
    await into(informers.persistentVolumes, '/api/v1/persistentvolumes');
    await into(informers.persistentVolumeClaims, '/api/v1/persistentvolumeclaims');
    await into(informers.storageClasses, '/apis/storage.k8s.io/v1/storageclasses');
    await into(informers.csiNodes, '/apis/storage.k8s.io/v1/csinodes');
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

  async #placed(random: Random, pod: MadePod): Promise<void> {
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

const usesOnePodClaim = ({ volumes = [] }: MadePod['spec']): boolean =>
  volumes.some(({ persistentVolumeClaim: claim }) => claim?.claimName === FOR_ONE_POD.name);

/**
 * Leaves ports of a node to one pod, and a claim for one pod to one: where several have the same one, the reference takes
 * it for free once one of them is gone.
 */
function withoutCollisions(pods: readonly MadePod[]): readonly MadePod[] {
  const taken = new Set<string>();
  const takes = (what: string): boolean => !taken.has(what) && taken.add(what).has(what);
  for (const { metadata, spec } of pods) {
    for (const container of spec.containers)
      if (container.ports && spec.nodeName && !takes(`ports of ${spec.nodeName}`)) delete container.ports;
    const isMeant = metadata.namespace === FOR_ONE_POD.namespace && spec.nodeName !== undefined;
    if (usesOnePodClaim(spec) && !(isMeant && takes('the claim'))) delete spec.volumes;
  }
  return pods;
}

const podOf = (random: Random, name: string, around: Surroundings, spec: Part): MadePod =>
  randomPod(random, name, around, spec) as unknown as MadePod;

/** Fails with the answer where it is a refusal. */
export function ok(answer: Answer): Answer {
  if (answer.status >= 300) expect.fail(answer.text);
  return answer;
}
