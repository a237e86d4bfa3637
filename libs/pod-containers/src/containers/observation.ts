import {
  isNotFound,
  type ListedContainer,
  type ListedSandbox,
  type Runtime,
  type RuntimeContainerStatus,
  type SandboxStatus,
} from '@orch/container-runtime';
import { factsOf, labelsOfUid, type PodIdentity, podOfLabels } from './labels.js';
import type { ObservedContainer, ObservedPod, ObservedSandbox } from './observed-pod.js';
import { terminationMessage } from './termination-message.js';

/** A pod of the runtime's lists: enough to see that something has changed. */
export interface ListedPod extends PodIdentity {
  /** Its sandboxes. */
  readonly sandboxes: readonly ListedSandbox[];
  /** Its containers. */
  readonly containers: readonly ListedContainer[];
}

/**
 * Returns the addresses of a sandbox. Where the runtime gives pods no network of their own, these are the node's.
 * @param nodeIPs addresses that pods share with the node; undefined where they have their own
 */
export function sandboxIPs(
  { state, ips, namespaces }: SandboxStatus,
  nodeIPs?: () => readonly string[],
): readonly string[] {
  const isShared = nodeIPs !== undefined && state === 'ready' && namespaces.network === 'pod' && ips.length === 0;
  return isShared ? nodeIPs() : ips;
}

type ListingRuntime = Pick<Runtime, 'listSandboxes' | 'listContainers' | 'sandboxStatus' | 'containerStatus'>;

/** Reads pods from the runtime: its lists are all that is known about what runs. */
export class RuntimeObserver {
  /** Details of sandboxes that are ready, by their ids: they stay what they are. */
  readonly #ready = new Map<string, SandboxStatus>();
  /** Details of containers that run, by their ids. */
  readonly #running = new Map<string, ObservedContainer>();

  /**
   * @param runtimeName scheme of the ids of containers
   * @param nodeIPs addresses that pods share with the node; undefined where they have their own
   */
  constructor(
    private readonly runtime: ListingRuntime,
    private readonly runtimeName: string,
    private readonly nodeIPs?: () => readonly string[],
  ) {}

  /** Returns all pods of the runtime by their uid; sandboxes and containers of others are left out. @throws RuntimeError */
  async list(): Promise<Map<string, ListedPod>> {
    const [sandboxes, containers] = await Promise.all([this.runtime.listSandboxes(), this.runtime.listContainers()]);
    keepOnly(this.#ready, sandboxes);
    keepOnly(this.#running, containers);
    return podsOf(sandboxes, containers);
  }

  /** Returns one pod of the runtime; undefined if it has nothing of it. @throws RuntimeError */
  async listOne(uid: string): Promise<ListedPod | undefined> {
    const labels = labelsOfUid(uid);
    const listed = await Promise.all([this.runtime.listSandboxes({ labels }), this.runtime.listContainers({ labels })]);
    return podsOf(...listed).get(uid);
  }

  /** Returns a pod in detail. What vanishes meanwhile is left out. @throws RuntimeError */
  async observe({ uid, name, namespace, sandboxes, containers }: ListedPod): Promise<ObservedPod> {
    const [ownSandboxes, runs] = await Promise.all([
      Promise.all(sandboxes.map((sandbox) => this.#sandbox(sandbox))),
      Promise.all(containers.map((container) => this.#container(container))),
    ]);
    return {
      uid,
      name,
      namespace,
      sandboxes: ownSandboxes.flatMap((sandbox) => sandbox ?? []).sort((a, b) => b.createdAt - a.createdAt),
      containers: runs.flatMap((run) => run ?? []).sort((a, b) => b.createdAt - a.createdAt),
    };
  }

  async #sandbox({ id, state: listed }: ListedSandbox): Promise<(ObservedSandbox & { createdAt: number }) | undefined> {
    const known = listed === 'ready' ? this.#ready.get(id) : undefined;
    const status = known ?? (await unlessGone(() => this.runtime.sandboxStatus(id)));
    if (!status) return undefined;
    const { state, metadata, namespaces, createdAt } = status;
    if (state === 'ready') this.#ready.set(id, status);
    const ips = sandboxIPs(status, this.nodeIPs);
    return { id, state, attempt: metadata.attempt, hostNetwork: namespaces.network === 'node', ips, createdAt };
  }

  async #container({ id, sandboxId, state }: ListedContainer): Promise<ObservedContainer | undefined> {
    const known = state === 'running' ? this.#running.get(id) : undefined;
    if (known) return known;
    const status = await unlessGone(() => this.runtime.containerStatus(id));
    const facts = status && factsOf(status.labels, status.annotations);
    const run = facts && (await this.#run(status, facts, sandboxId));
    if (run?.state === 'running') this.#running.set(id, run);
    return run;
  }

  async #run(
    status: RuntimeContainerStatus,
    facts: NonNullable<ReturnType<typeof factsOf>>,
    sandboxId: string,
  ): Promise<ObservedContainer> {
    const { id, state, image, imageRef, createdAt, startedAt, finishedAt, exitCode, reason } = status;
    return {
      id,
      fullId: `${this.runtimeName}://${id}`,
      sandboxId,
      name: facts.name,
      hash: facts.hash,
      restartCount: facts.restartCount,
      state,
      image,
      imageId: imageRef,
      createdAt,
      ...(startedAt !== undefined && { startedAt }),
      ...(finishedAt !== undefined && { finishedAt }),
      exitCode,
      reason,
      message: state === 'exited' ? await terminationMessage(status, facts) : status.message,
    };
  }
}

function podsOf(sandboxes: readonly ListedSandbox[], containers: readonly ListedContainer[]): Map<string, ListedPod> {
  const pods = new Map<string, { sandboxes: ListedSandbox[]; containers: ListedContainer[] } & PodIdentity>();
  const podOf = (identity: PodIdentity) => {
    const known = pods.get(identity.uid) ?? { ...identity, sandboxes: [], containers: [] };
    pods.set(identity.uid, known);
    return known;
  };
  for (const sandbox of sandboxes) {
    const identity = podOfLabels(sandbox.labels);
    if (identity) podOf(identity).sandboxes.push(sandbox);
  }
  for (const container of containers) {
    const identity = podOfLabels(container.labels);
    if (identity && factsOf(container.labels, container.annotations)) podOf(identity).containers.push(container);
  }
  return pods;
}

/** Forgets what is not listed any more. */
function keepOnly(known: Map<string, unknown>, listed: readonly { readonly id: string }[]): void {
  const ids = new Set(listed.map(({ id }) => id));
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
}

async function unlessGone<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
