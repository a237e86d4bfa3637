import type { NodeInfo, PodInfo } from '@orch/scheduler-plugins';
import type { Container } from '@orch/schema/types/core/v1';
import type { ExtenderConfiguration } from '../configuration/configuration.js';
import { byImportance, type Candidate } from '../preemption/candidates.js';
import { answerEntries, answerField, answerList, answerNumber, answerText } from './answer-fields.js';
import type { ExtenderCall } from './extender-call.js';

const OK = 200;

/** Nodes that an extender lets a pod be on, and why not on others. */
export interface ExtenderFilterResult {
  /** Nodes of those that it was sent. */
  readonly nodes: readonly NodeInfo[];
  /** Reasons by name of the node, where the removal of other pods may help. */
  readonly failed: ReadonlyMap<string, string>;
  /** Reasons by name of the node, where it may not. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** An HTTP service that takes part in scheduling. */
export class Extender {
  /** URL before the verbs, which names it in messages. */
  readonly name: string;
  readonly #managed: ReadonlySet<string>;

  constructor(
    private readonly configuration: ExtenderConfiguration,
    private readonly call: ExtenderCall,
  ) {
    this.name = configuration.urlPrefix;
    this.#managed = new Set(configuration.managedResources.map(({ name }) => name));
  }

  /** Whether pods are scheduled without it when it fails. */
  get isIgnorable(): boolean {
    return this.configuration.ignorable;
  }

  /** Factor of its scores; 0 where it gives none. */
  get weight(): number {
    return this.configuration.prioritizeVerb === '' ? 0 : this.configuration.weight;
  }

  /** Whether it binds pods. */
  get isBinder(): boolean {
    return this.configuration.bindVerb !== '';
  }

  /** Whether it takes part in preemption. */
  get supportsPreemption(): boolean {
    return this.configuration.preemptVerb !== '';
  }

  /** Whether a pod is one that it is called for: one with a resource that it manages, or any where it manages none. */
  isInterested({ pod }: PodInfo): boolean {
    if (this.#managed.size === 0) return true;
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    return [...containers, ...initContainers].some((container) => this.#manages(container));
  }

  /** Returns which of the nodes a pod can be on. @throws Error */
  async filter({ pod }: PodInfo, nodes: readonly NodeInfo[]): Promise<ExtenderFilterResult> {
    const { filterVerb } = this.configuration;
    if (filterVerb === '') return { nodes, failed: new Map(), unresolvable: new Map() };
    const result = await this.#post(filterVerb, { Pod: pod, ...this.#nodeArgs(nodes) });
    return {
      nodes: this.#namedNodes(result, nodes),
      failed: reasonsOf(result, 'FailedNodes'),
      unresolvable: reasonsOf(result, 'FailedAndUnresolvableNodes'),
    };
  }

  /** Returns scores of 0 to 10 by name of the node. @throws Error */
  async prioritize({ pod }: PodInfo, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>> {
    const result = await this.#post(this.configuration.prioritizeVerb, { Pod: pod, ...this.#nodeArgs(nodes) });
    if (!Array.isArray(result)) throw new Error(`extender "${this.name}" did not answer with a list of scores`);
    const scores = new Map<string, number>();
    for (const each of result) {
      const host = answerText(each, 'Host');
      scores.set(host, (scores.get(host) ?? 0) + answerNumber(each, 'Score'));
    }
    return scores;
  }

  /** Binds a pod to a node. @throws Error */
  async bind({ namespace, name, uid }: PodInfo, node: string): Promise<void> {
    const binding = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
    await this.#post(this.configuration.bindVerb, binding);
  }

  /**
   * Returns which of the candidates remain, with the victims that the extender names.
   * @param nodeOf finds a node by name
   * @throws Error
   */
  async preempt(
    { pod }: PodInfo,
    candidates: readonly Candidate[],
    nodeOf: (name: string) => NodeInfo | undefined,
  ): Promise<readonly Candidate[]> {
    const { nodeCacheCapable, preemptVerb } = this.configuration;
    const victims = Object.fromEntries(
      candidates.map(({ node, victims: pods, violations }) => [
        node,
        { Pods: pods.map((each) => (nodeCacheCapable ? { UID: each.uid } : each.pod)), NumPDBViolations: violations },
      ]),
    );
    const result = await this.#post(preemptVerb, {
      Pod: pod,
      NodeNameToVictims: nodeCacheCapable ? null : victims,
      NodeNameToMetaVictims: nodeCacheCapable ? victims : null,
    });
    return answerEntries(result, 'NodeNameToMetaVictims').map(([name, each]) => {
      const node = nodeOf(name);
      if (!node) throw new Error(`nodeinfo not found for node name "${name}"`);
      const named = (answerList(each, 'Pods') ?? []).map((victim) => this.#victim(answerText(victim, 'UID'), node));
      return { node: name, victims: named.sort(byImportance), violations: answerNumber(each, 'NumPDBViolations') };
    });
  }

  #victim(uid: string, node: NodeInfo): PodInfo {
    for (const pod of node.pods) if (pod.uid === uid) return pod;
    throw new Error(
      `extender: ${this.name} claims to preempt pod (UID: ${uid}) on node: ${node.name}, but the pod is not found on that node`,
    );
  }

  #manages({ resources }: Container): boolean {
    const names = [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})];
    return names.some((name) => this.#managed.has(name));
  }

  /** Extenders that know the nodes are sent names, others the objects. */
  #nodeArgs(nodes: readonly NodeInfo[]) {
    if (this.configuration.nodeCacheCapable) return { Nodes: null, NodeNames: nodes.map(({ name }) => name) };
    return { Nodes: { metadata: {}, items: nodes.map(({ node }) => node) }, NodeNames: null };
  }

  #namedNodes(result: unknown, nodes: readonly NodeInfo[]): readonly NodeInfo[] {
    const named = this.configuration.nodeCacheCapable ? answerList(result, 'NodeNames') : undefined;
    const items = answerList(answerField(result, 'Nodes'), 'items') ?? [];
    const names = named ?? items.map((item) => answerText(answerField(item, 'metadata'), 'name'));
    const byName = new Map<unknown, NodeInfo>(nodes.map((node) => [node.name, node]));
    return names.map((name) => {
      const node = byName.get(name);
      if (node) return node;
      throw new Error(
        `extender "${this.name}" claims a filtered node "${String(name)}" which is not found in the input node list`,
      );
    });
  }

  async #post(verb: string, body: unknown): Promise<unknown> {
    const url = `${this.name.replace(/\/+$/, '')}/${verb}`;
    const answer = await this.call.post(url, body, this.configuration.timeoutMs);
    if (answer.status !== OK) throw new Error(`failed ${verb} with extender at URL ${url}, code ${answer.status}`);
    const error = answerText(answer.body, 'Error');
    if (error !== '') throw new Error(error);
    return answer.body;
  }
}

const reasonsOf = (result: unknown, name: string): ReadonlyMap<string, string> =>
  new Map(answerEntries(result, name).map(([node, reason]) => [node, String(reason)]));
