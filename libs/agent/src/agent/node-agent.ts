import { mkdir } from 'node:fs/promises';
import { limitOpenFiles, type PinnedContainers, type PressureType, type UsageMeter } from '@orch/node-resources';
import type { CountedChecks } from '@orch/pod-containers';
import {
  EventRecorder,
  type EventSink,
  isStaticPod,
  type PodAnnotations,
  type PodSource,
  podAnnotations,
  uidOf,
} from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { healthProblems } from '../node/node-health.js';
import { NodeLease } from '../node/node-lease.js';
import { attachAnnotation, defaultLabels } from '../node/node-object.js';
import { registerNode } from '../node/node-registration.js';
import { NodeStatusReporter } from '../node/node-status-reporter.js';
import { NodeWatch } from '../node/node-watch.js';
import { PodAgent } from '../pods/pod-agent.js';
import type { PodCgroups } from '../pods/pod-syncer.js';
import { ApiSource } from '../sources/api-source.js';
import { FileSource } from '../sources/file-source.js';
import { MirrorPods } from '../sources/mirror-pods.js';
import { StaticPodReader } from '../sources/static-pods.js';
import { UrlSource } from '../sources/url-source.js';
import type { AgentClients, NodeAgentSettings } from './agent-settings.js';
import { NodeCare } from './node-care.js';
import { openCgroups } from './node-cgroups.js';
import { openPinned } from './pinning.js';
import { PodInputs } from './pod-inputs.js';
import { checkMachine } from './start-checks.js';
import { ThisNode } from './this-node.js';

/** Something that the agent has started, and has to stop. */
interface Stoppable {
  stop(): void | Promise<void>;
}

/** Age of the runtime's list at which the agent counts as stuck, as for the reference. */
const RELIST_LIMIT_MS = 180_000;
const DEFAULT_EVENT_QPS = 50;
const DEFAULT_EVENT_BURST = 100;

/** A node agent: registers its node, and runs the pods that are bound to it. */
export class NodeAgent {
  readonly #stopping = new AbortController();
  readonly #started: Stoppable[] = [];
  #care: NodeCare | undefined;

  #pods: PodAgent | undefined;

  private constructor(
    /** Settings that it was started with. */
    readonly settings: NodeAgentSettings,
    /** The node that it runs on. */
    readonly node: ThisNode,
  ) {}

  /** Starts an agent. Resolves once it works; the registration of its node goes on. @throws Error, RuntimeError */
  static async start(settings: NodeAgentSettings): Promise<NodeAgent> {
    const { options, runtime, logger } = settings;
    await checkMachine(options, logger);
    await limitOpenFiles(options.maxOpenFiles, logger);
    await mkdir(options.rootDir, { recursive: true, mode: 0o750 });
    const agent = new NodeAgent(settings, await ThisNode.read(options, options.rootDir, runtime));
    await agent.#start();
    return agent;
  }

  /** Returns the pods of the node with their statuses; mirrors of static pods are not among them. */
  pods(): Pod[] {
    const { desired, statuses } = this.#pods ?? {};
    return [...(desired?.list() ?? [])].map((pod) => {
      const status = statuses?.get(uidOf(pod)) ?? pod.status;
      return { ...pod, ...(status && { status }) };
    });
  }

  /** Returns why the loop over the pods is not healthy; undefined if it is. */
  syncProblem(): string | undefined {
    const ageMs = this.#pods?.relist.ageMs ?? Number.POSITIVE_INFINITY;
    return ageMs < RELIST_LIMIT_MS ? undefined : 'the runtime has not been listed for three minutes';
  }

  /** Measures what the node and its pods use. @throws Error before the agent has started */
  get usage(): UsageMeter {
    if (!this.#care) throw new Error('the agent has not started');
    return this.#care.meter;
  }

  /** Returns how often containers were probed, by result. */
  probes(): Iterable<CountedChecks> {
    return this.#pods?.probes.counts() ?? [];
  }

  /** Ends the agent in the reverse order of its start; containers go on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const part of this.#started.splice(0).reverse()) await part.stop();
  }

  async #start(): Promise<void> {
    const annotations = podAnnotations(this.node.names);
    const isStatic = (pod: Pod) => isStaticPod(pod, annotations);
    const events = this.#makeEvents();
    const pinned = await this.#openPinned(() => pods);
    const inputs = new PodInputs(this.settings, this.node, events, isStatic, pinned);
    const care: NodeCare = new NodeCare({
      ...this.settings,
      node: this.node,
      pods: () => pods,
      annotations,
      events,
    });
    const pods: PodAgent = await this.#makePods(inputs, events, annotations, { care, pinned });
    this.#care = care;
    this.#pods = pods;
    events.ofNode('Normal', 'Starting', 'Starting kubelet.');
    inputs.start();
    await pods.start();
    care.start();
    pinned.start();
    this.#started.push(inputs, pods, care, pinned);
    await this.#startSources(pods);
    const { clients } = this.settings;
    if (!clients) return;
    const joined = this.#join(clients, pods, events);
    this.#started.push({ stop: () => joined });
  }

  #makeEvents(): EventSink {
    const { clients, options, clock, logger } = this.settings;
    if (!clients) return NO_EVENTS;
    const { eventQps: qps, eventBurst: burst } = options;
    const limits = { qps: qps || DEFAULT_EVENT_QPS, burst: burst || DEFAULT_EVENT_BURST };
    const recorder = new EventRecorder({ client: clients.events, nodeName: this.node.name, ...limits, clock, logger });
    this.#started.push(recorder);
    return recorder;
  }

  async #makePods(
    inputs: PodInputs,
    events: EventSink,
    annotations: PodAnnotations,
    { care, pinned }: { readonly care: NodeCare; readonly pinned: PinnedContainers },
  ): Promise<PodAgent> {
    const { options, clients, runtime, clock, logger } = this.settings;
    const { node } = this;
    const mirrors =
      clients && new MirrorPods({ client: clients.pods, annotations, nodeName: node.name, nodeUid: () => node.uid });
    const cgroups = await this.#openCgroups(inputs, events, () => pods);
    const pods: PodAgent = new PodAgent({
      runtime,
      runtimeName: (await runtime.version()).name,
      sharesNetwork: options.containerRuntimeEndpoint.startsWith('process:'),
      sources: this.#sources(),
      annotations,
      ...(clients && { client: clients.pods }),
      ...(mirrors && { mirrors }),
      ...(cgroups && { cgroups }),
      node: () => node.object,
      hostIPs: () => node.ips,
      ...inputs.inputs(),
      pulls: { serial: options.serializeImagePulls, qps: options.registryQps, burst: options.registryBurst },
      events,
      pressureRefusal: (pod) => care.refusal(pod),
      pinningRefusal: (pod) => pinned.allocate(pod),
      syncMs: options.syncFrequency,
      keptRuns: options.maximumDeadContainersPerContainer,
      clock,
      logger,
    });
    return pods;
  }

  /** @param pods the pods, once they are made */
  async #openCgroups({ quota }: PodInputs, events: EventSink, pods: () => PodAgent): Promise<PodCgroups | undefined> {
    if (!this.settings.options.cgroupsPerQos) return undefined;
    const works = () => pods().workers.list('syncing', 'terminating');
    return openCgroups({ ...this.settings, node: this.node, quota, events, works });
  }

  /** @param pods the pods, once they are made */
  #openPinned(pods: () => PodAgent): Promise<PinnedContainers> {
    const { options, runtime, clock, logger } = this.settings;
    return openPinned({ options, node: this.node, runtime, pods, clock, logger });
  }

  #sources(): PodSource[] {
    const { options, clients } = this.settings;
    return [
      ...(clients ? ['api' as const] : []),
      ...(options.podManifestPath ? ['file' as const] : []),
      ...(options.manifestUrl ? ['http' as const] : []),
    ];
  }

  async #startSources({ desired }: PodAgent): Promise<void> {
    const { options, clock, logger } = this.settings;
    const { podManifestPath, manifestUrl, manifestUrlHeader: headers } = options;
    const reader = new StaticPodReader(this.node.names, this.node.name);
    if (podManifestPath) {
      const onPods = (pods: readonly Pod[]) => desired.set('file', pods);
      const everyMs = options.fileCheckFrequency;
      const files = new FileSource({ path: podManifestPath, everyMs, reader, onPods, logger, clock });
      this.#started.push(files);
      await files.start();
    }
    if (!manifestUrl) return;
    const onPods = (pods: readonly Pod[]) => desired.set('http', pods);
    const everyMs = options.httpCheckFrequency;
    const url = new UrlSource({ url: manifestUrl, headers, everyMs, reader, onPods, logger, clock });
    this.#started.push(url);
    url.start();
  }

  /** Registers the node; its pods, its status and its lease follow. */
  async #join(clients: AgentClients, pods: PodAgent, events: EventSink): Promise<void> {
    const { options, clock, logger } = this.settings;
    const { signal } = this.#stopping;
    const { node } = this;
    if (options.registerNode) {
      const registered = await registerNode(node.initial(), {
        client: clients.heartbeats,
        defaultLabels: defaultLabels(node.settings, node.machine),
        attachAnnotation: attachAnnotation(node.names),
        clock,
        logger,
        signal,
      });
      if (registered) node.note(registered);
    }
    if (signal.aborted) return;
    const source = new ApiSource({
      client: clients.pods,
      nodeName: node.name,
      onPods: (all) => pods.desired.set('api', all),
      logger,
    });
    const watch = new NodeWatch({ client: clients.pods, name: node.name, onNode: (seen) => node.note(seen), logger });
    for (const followed of [watch, source]) followed.start();
    const heartbeats = [this.#makeLease(clients), this.#makeReporter(clients, pods, events, watch)];
    this.#started.push(watch, source, ...heartbeats);
    for (const heartbeat of heartbeats) void heartbeat.start();
  }

  #has(type: PressureType): boolean {
    return this.#care?.conditions.includes(type) ?? false;
  }

  #makeLease({ heartbeats: client }: AgentClients): NodeLease {
    const { options, clock, logger } = this.settings;
    const durationSeconds = options.nodeLeaseDurationSeconds;
    return new NodeLease({
      client,
      name: this.node.name,
      nodeUid: () => this.node.uid,
      durationSeconds,
      clock,
      logger,
    });
  }

  #makeReporter(
    { heartbeats: client }: AgentClients,
    { relist }: PodAgent,
    events: EventSink,
    watch: NodeWatch,
  ): NodeStatusReporter {
    const { options, runtime, clock, logger } = this.settings;
    const { node } = this;
    return new NodeStatusReporter({
      client,
      name: node.name,
      known: () => watch.node,
      status: () => node.status(),
      health: async () => ({
        problems: await healthProblems({ runtime, relistAgeMs: relist.ageMs, missingCapacity: [] }),
        memoryPressure: this.#has('MemoryPressure'),
        diskPressure: this.#has('DiskPressure'),
        pidPressure: this.#has('PIDPressure'),
      }),
      updateMs: options.nodeStatusUpdateFrequency,
      reportMs: options.nodeStatusReportFrequency,
      events,
      clock,
      logger,
    });
  }
}

const NO_EVENTS: EventSink = { ofPod() {}, ofNode() {} };
