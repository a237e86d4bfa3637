import { hostname } from 'node:os';
import type { Runtime } from '@orch/container-runtime';
import { type Names, namesOf } from '@orch/machinery';
import { allocatableOf, amountsOf } from '@orch/pod-environment';
import type { Node, NodeStatus } from '@orch/schema/types/core/v1';
import { type Machine, readMachine } from '../node/machine.js';
import { machineAddresses, nodeIPs, nodeNameOf } from '../node/node-addresses.js';
import { type NodeObjectSettings, nodeObject, nodeStatus, withGivenResources } from '../node/node-object.js';
import type { NodeAgentOptions } from '../options/agent-options.js';
import { reservedShares } from './reserved-shares.js';

/** The node that the agent runs on, as far as it is known now. */
export class ThisNode {
  /** Name of the node. */
  readonly name: string;
  /** Naming profile of the API. */
  readonly names: Names;
  /** Addresses of the node. */
  readonly ips: readonly string[];
  /** Settings of its object. */
  readonly settings: NodeObjectSettings;
  #reported: Node | undefined;
  #status: NodeStatus = {};

  private constructor(
    options: NodeAgentOptions,
    /** The machine, as it was when the agent started. */
    readonly machine: Machine,
    private readonly runtime: Runtime,
  ) {
    const host = hostname();
    this.name = nodeNameOf(host, options.hostnameOverride);
    this.names = namesOf(options.naming);
    this.ips = nodeIPs(options.nodeIp, machineAddresses());
    this.settings = {
      name: this.name,
      names: this.names,
      hostname: this.name,
      labels: withRuntime(options, this.names),
      taints: options.registerWithTaints,
      controllerAttaches: options.enableControllerAttachDetach,
      maxPods: options.maxPods,
      podsPerCore: options.podsPerCore,
      reserved: reservedShares(options),
      countsStorage: options.localStorageCapacityIsolation,
      port: options.enableServer ? options.port : 0,
      maxImages: options.nodeStatusMaxImages,
    };
  }

  /** Reads what there is to know of the machine. @param folder a path on the file system of pods, which exists */
  static async read(options: NodeAgentOptions, folder: string, runtime: Runtime): Promise<ThisNode> {
    const node = new ThisNode(options, await readMachine(folder), runtime);
    await node.status();
    return node;
  }

  /** Uid of the node in the API; undefined while it is not registered. */
  get uid(): string | undefined {
    return this.#reported?.metadata?.uid;
  }

  /** Returns the node as the API has it, with the resources that were measured last. */
  get object(): Node {
    const known = this.#reported ?? this.initial();
    return { ...known, status: { ...known.status, ...withGivenResources(this.#status, known.status) } };
  }

  /** Resources that pods can have. */
  get allocatable(): Readonly<Record<string, string>> {
    return this.#status.allocatable ?? {};
  }

  /** Returns what all pods together are held to: the capacity without what is reserved. Eviction keeps the rest free. */
  sharedByPods(): ReadonlyMap<string, bigint> {
    return allocatableOf(amountsOf(this.#status.capacity), { ...this.settings.reserved, thresholds: [] });
  }

  /** Bytes of memory that pods cannot have: what is reserved, and what eviction keeps free. */
  get keptBytes(): number {
    const memory = this.machine.memoryBytes;
    const left = allocatableOf(new Map([['memory', memory]]), this.settings.reserved).get('memory') ?? 0n;
    return Number(memory - left);
  }

  /** Notes the node as the API has it. */
  note(node: Node): void {
    this.#reported = node;
  }

  /** Returns the node as it is registered. */
  initial(): Node {
    return { ...nodeObject(this.settings, this.#facts('', [])), status: this.#status };
  }

  /** Measures the status of the node, but for its conditions. What the runtime does not answer is left out. */
  async status(): Promise<NodeStatus> {
    const [version, images] = await Promise.all([
      this.runtime.version().catch(() => undefined),
      this.runtime.listImages().catch(() => []),
    ]);
    const runtimeVersion = version ? `${version.name}://${version.version}` : '';
    this.#status = nodeStatus(this.settings, this.#facts(runtimeVersion, images));
    return this.#status;
  }

  #facts(runtimeVersion: string, images: Awaited<ReturnType<Runtime['listImages']>>) {
    return { machine: this.machine, ips: this.ips, runtimeVersion, images };
  }
}

/** The runtime of processes is to be known by its nodes: pods that need isolation can keep away. */
function withRuntime({ nodeLabels, containerRuntimeEndpoint }: NodeAgentOptions, names: Names) {
  if (!containerRuntimeEndpoint.startsWith('process:')) return nodeLabels;
  return new Map([...nodeLabels, [names.key('node.orch.io/runtime'), 'process']]);
}
