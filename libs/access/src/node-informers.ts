import {
  type Concerned,
  NodeGraph,
  type NodePod,
  referencesOfPod,
  referencesOfVolume,
  type VolumeReferences,
} from '@orch/authorization';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, StoreInformer } from '@orch/informers';
import { type Endpoint, fromStored, storedEndpoint } from '@orch/resources';

interface NodeInformersOptions {
  readonly deps: Pick<ApiDeps, 'names' | 'served' | 'unserved'>;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Called with the subjects whose rights may have shrunk, after the change took effect. */
  readonly onLoss: (concerned: Concerned) => void;
  readonly onError: (error: unknown) => void;
}

/** A pod as it was assigned to its node: its references never change. */
interface FollowedPod {
  readonly uid: string;
  /** Undefined for one on no node. */
  readonly pod: NodePod | undefined;
}

const ALL_NODES: Concerned = { users: new Set(), groups: new Set(['system:nodes']) };

/**
 * Keeps the graph of the objects that the pods on each node need, from the feed. Starts when it is first used: an
 * installation without nodes never reads its pods for this.
 */
export class NodeInformers {
  readonly #graph = new NodeGraph();
  readonly #informers: { start(): Promise<void>; stop(): void }[] = [];
  #started: Promise<unknown> | undefined;

  constructor(private readonly options: NodeInformersOptions) {}

  /** Resolves when all is known. */
  async graph(): Promise<NodeGraph> {
    this.#started ??= this.#start();
    await this.#started;
    return this.#graph;
  }

  /** Stops following; the graph stays as it is. */
  stop(): void {
    for (const informer of this.#informers) informer.stop();
  }

  #start(): Promise<unknown> {
    const { deps } = this.options;
    const graph = this.#graph;
    this.#follow<FollowedPod>(
      storedEndpoint(deps, '', 'pods'),
      (object, uid, before) => this.#podOf(object, uid, before),
      (key, known) => nodeConcerned(graph.putPod(key, known?.pod)),
    );
    this.#follow<VolumeReferences | undefined>(
      storedEndpoint(deps, '', 'persistentvolumes'),
      (object) => referencesOfVolume(object),
      (name, volume) => (graph.putVolume(name, volume) ? ALL_NODES : undefined),
    );
    this.#follow<string>(
      storedEndpoint(deps, 'storage.orch.io', 'volumeattachments'),
      (object) => String((object.spec as { nodeName?: string } | undefined)?.nodeName ?? ''),
      (name, node) => nodeConcerned(graph.putAttachment(name, node)),
    );
    return Promise.all(this.#informers.map((informer) => informer.start()));
  }

  #podOf(object: ReturnType<typeof fromStored>, uid: string, before: FollowedPod | undefined): FollowedPod {
    const { nodeName: node = '' } = (object.spec ?? {}) as { nodeName?: string };
    if (before?.uid === uid && before.pod?.node === node) return before;
    if (node === '') return { uid, pod: undefined };
    const mirror = this.options.deps.names.key('orch.io/config.mirror');
    return { uid, pod: { node, references: referencesOfPod(object, mirror) } };
  }

  #follow<T>(
    endpoint: Endpoint,
    read: (object: ReturnType<typeof fromStored>, uid: string, before: T | undefined) => T,
    put: (key: string, known: T | undefined) => Concerned | undefined,
  ): void {
    const { store, feed, onLoss, onError } = this.options;
    /** Objects as last put into the graph, so that unchanged ones are skipped. */
    const lately = new Map<string, T>();
    const informer = new StoreInformer<T>({
      ...{ source: store, feed, type: endpoint.type, onError },
      read: (row, before) => read(fromStored(row, endpoint), row.uid, before),
    });
    informer.onChange((changed) => {
      for (const key of changed) {
        const known = informer.objects.get(key);
        if (known === lately.get(key) && lately.has(key) === informer.objects.has(key)) continue;
        if (informer.objects.has(key)) lately.set(key, known as T);
        else lately.delete(key);
        const concerned = put(key, known);
        if (concerned) onLoss(concerned);
      }
    });
    this.#informers.push(informer);
  }
}

const nodeConcerned = (node: string | undefined): Concerned | undefined =>
  node === undefined ? undefined : { users: new Set([`system:node:${node}`]), groups: new Set() };
