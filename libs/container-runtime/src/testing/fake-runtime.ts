import { type Clock, systemClock } from '@orch/runtime/clock';
import type {
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  CreateContainerRequest,
  ListedContainer,
  RuntimeContainerStatus,
} from '../containers.js';
import type { FilesystemUsage, PullRequest, StoredImage } from '../images.js';
import type { LinuxResources } from '../resources.js';
import type { Runtime, RuntimeCondition, RuntimeVersion } from '../runtime.js';
import { RuntimeError } from '../runtime-error.js';
import type { ListedSandbox, SandboxConfig, SandboxFilter, SandboxStatus } from '../sandboxes.js';
import { selectsContainer, selectsSandbox } from '../selection.js';
import type { ContainerStatistics, SandboxStatistics } from '../statistics.js';
import type {
  AttachRequest,
  ExecRequest,
  ExecSyncRequest,
  ExecSyncResult,
  PortEndpoint,
  PortForwardRequest,
  StreamEndpoint,
} from '../streams.js';
import { FakeContainer } from './fake-container.js';
import { FakeEvents } from './fake-events.js';
import { execToEnd } from './fake-exec.js';
import { FakeFaults } from './fake-faults.js';
import { FakeImages } from './fake-images.js';
import { forwardPorts } from './fake-ports.js';
import type { FakeProgram } from './fake-program.js';
import { FakeSandbox } from './fake-sandbox.js';
import { FakeStatistics } from './fake-statistics.js';
import { attachStreams, execStreams } from './fake-streams.js';

/** Settings of the double. */
export interface FakeRuntimeOptions {
  /** Clock of all delays and times. */
  readonly clock?: Clock;
  /** Returns the behaviour of a container's program; by default the one set by `programs`. */
  readonly programOf?: (config: ContainerConfig) => FakeProgram | undefined;
}

/** A runtime in memory for tests: its containers do what a test says. Ids are `sandbox-1`, `container-2` and so on. */
export class FakeRuntime implements Runtime {
  /** Behaviour of containers by their names; others run until they are stopped. */
  readonly programs = new Map<string, FakeProgram>();
  /** Calls so far, and faults of methods. */
  readonly faults: FakeFaults;
  /** Images on the node and in the registry. */
  readonly images = new FakeImages();
  /** Usage of containers. */
  readonly usage: FakeStatistics;
  /** Conditions, as `conditions` returns them. */
  conditionList: readonly RuntimeCondition[] = ['RuntimeReady', 'NetworkReady'].map((type) => ({
    ...{ type, status: true, reason: '', message: '' },
  }));
  /** Usage of the file systems of images, as `imageFilesystems` returns it. */
  filesystems: readonly FilesystemUsage[] = [];
  /** Range of addresses that was set last. */
  podCidr = '';
  readonly #clock: Clock;
  readonly #programOf: (config: ContainerConfig) => FakeProgram | undefined;
  readonly #sandboxes = new Map<string, FakeSandbox>();
  readonly #containers = new Map<string, FakeContainer>();
  readonly #events = new FakeEvents();
  #count = 0;
  #latest = 0;

  constructor({ clock = systemClock, programOf }: FakeRuntimeOptions = {}) {
    this.#clock = clock;
    this.#programOf = programOf ?? (({ metadata }) => this.programs.get(metadata.name));
    this.faults = new FakeFaults(clock);
    this.usage = new FakeStatistics(clock, this.#containers, this.#sandboxes);
  }

  /** Returns the newest container of a name, in whichever pod. @throws Error if there is none */
  container(name: string): FakeContainer {
    const found = [...this.#containers.values()].findLast(({ request }) => request.config.metadata.name === name);
    if (!found) throw new Error(`there is no container ${name}`);
    return found;
  }

  /** Lets a sandbox or container disappear, as if somebody else had removed it. */
  vanish(id: string): void {
    this.#sandboxes.delete(id);
    this.#containers.delete(id);
  }

  /** Ends a sandbox's process and network, as after a restart of the machine; its containers are killed. */
  breakSandbox(id: string): void {
    const sandbox = this.#sandbox(id);
    this.#killIn(id);
    sandbox.state = 'notready';
  }

  version(): Promise<RuntimeVersion> {
    return this.faults.call('version', [], () => ({ name: 'fake', version: '1.0.0', apiVersion: 'v1' }));
  }

  conditions(): Promise<readonly RuntimeCondition[]> {
    return this.faults.call('conditions', [], () => this.conditionList);
  }

  setPodCidr(cidr: string): Promise<void> {
    return this.faults.call('setPodCidr', [cidr], () => {
      this.podCidr = cidr;
    });
  }

  close(): Promise<void> {
    return this.faults.call('close', [], () => undefined);
  }

  runSandbox(config: SandboxConfig): Promise<string> {
    return this.faults.call('runSandbox', [config], () => {
      const id = `sandbox-${++this.#count}`;
      const ip = `10.88.${this.#count >> 8}.${this.#count & 255}`;
      this.#sandboxes.set(id, new FakeSandbox(id, config, this.#time(), ip));
      this.#emit('created', id, config.metadata.uid);
      this.#emit('started', id, config.metadata.uid);
      return id;
    });
  }

  stopSandbox(id: string): Promise<void> {
    return this.faults.call('stopSandbox', [id], () => {
      if (this.#sandboxes.has(id)) this.breakSandbox(id);
    });
  }

  removeSandbox(id: string): Promise<void> {
    return this.faults.call('removeSandbox', [id], () => {
      const sandbox = this.#sandboxes.get(id);
      if (!sandbox) return;
      this.#killIn(id);
      for (const container of this.#containersIn(id)) this.#containers.delete(container.id);
      this.#sandboxes.delete(id);
      this.#emit('deleted', id, sandbox.config.metadata.uid);
    });
  }

  sandboxStatus(id: string): Promise<SandboxStatus> {
    return this.faults.call('sandboxStatus', [id], () => this.#sandbox(id).status());
  }

  listSandboxes(filter: SandboxFilter = {}): Promise<readonly ListedSandbox[]> {
    return this.faults.call('listSandboxes', [filter], () =>
      [...this.#sandboxes.values()]
        .map((sandbox) => sandbox.listed())
        .filter((sandbox) => selectsSandbox(filter, sandbox)),
    );
  }

  createContainer(request: CreateContainerRequest): Promise<string> {
    return this.faults.call('createContainer', [request], () => this.#create(request));
  }

  startContainer(id: string): Promise<void> {
    return this.faults.call('startContainer', [id], () => this.#container(id).start());
  }

  stopContainer(id: string, grace: number): Promise<void> {
    return this.faults.call('stopContainer', [id, grace], () => this.#containers.get(id)?.stop(grace));
  }

  removeContainer(id: string): Promise<void> {
    return this.faults.call('removeContainer', [id], () => {
      const container = this.#containers.get(id);
      if (!container) return;
      container.exit(137);
      this.#containers.delete(id);
      this.#emit('deleted', id, container.request.sandboxConfig.metadata.uid);
    });
  }

  containerStatus(id: string): Promise<RuntimeContainerStatus> {
    return this.faults.call('containerStatus', [id], () => this.#container(id).status());
  }

  listContainers(filter: ContainerFilter = {}): Promise<readonly ListedContainer[]> {
    return this.faults.call('listContainers', [filter], () =>
      [...this.#containers.values()]
        .map((container) => container.listed())
        .filter((container) => selectsContainer(filter, container)),
    );
  }

  updateContainerResources(id: string, resources: LinuxResources): Promise<void> {
    return this.faults.call('updateContainerResources', [id, resources], () => {
      const container = this.#container(id);
      container.resources = { ...container.resources, ...resources };
    });
  }

  reopenContainerLog(id: string): Promise<void> {
    return this.faults.call('reopenContainerLog', [id], () => void this.#running(id));
  }

  execSync(request: ExecSyncRequest): Promise<ExecSyncResult> {
    return this.faults.call('execSync', [request], () =>
      execToEnd(this.#running(request.containerId), request, this.#clock),
    );
  }

  exec(request: ExecRequest): Promise<StreamEndpoint> {
    return this.faults.call('exec', [request], () => {
      const result = this.#running(request.containerId).program.exec?.(request.command) ?? {};
      return { kind: 'streams', streams: execStreams(request, result, this.#clock) };
    });
  }

  attach(request: AttachRequest): Promise<StreamEndpoint> {
    return this.faults.call('attach', [request], () => ({
      ...{ kind: 'streams', streams: attachStreams(request, this.#running(request.containerId)) },
    }));
  }

  portForward(request: PortForwardRequest): Promise<PortEndpoint> {
    return this.faults.call('portForward', [request], () => {
      this.#sandbox(request.sandboxId);
      return forwardPorts(request);
    });
  }

  containerStatistics(id: string): Promise<ContainerStatistics> {
    return this.faults.call('containerStatistics', [id], () => this.usage.of(this.#container(id)));
  }

  listContainerStatistics(
    ...[filter = {}]: Parameters<Runtime['listContainerStatistics']>
  ): Promise<readonly ContainerStatistics[]> {
    return this.faults.call('listContainerStatistics', [filter], () => this.usage.ofContainers(filter));
  }

  sandboxStatistics(id: string): Promise<SandboxStatistics> {
    return this.faults.call('sandboxStatistics', [id], () => this.usage.ofSandbox(this.#sandbox(id)));
  }

  listSandboxStatistics(
    ...[filter = {}]: Parameters<Runtime['listSandboxStatistics']>
  ): Promise<readonly SandboxStatistics[]> {
    return this.faults.call('listSandboxStatistics', [filter], () => this.usage.ofSandboxes(filter));
  }

  listImages(image?: string): Promise<readonly StoredImage[]> {
    return this.faults.call('listImages', [image], () =>
      image === undefined ? this.images.list() : [this.images.find(image)].filter((found) => found !== undefined),
    );
  }

  imageStatus(image: string): Promise<StoredImage | undefined> {
    return this.faults.call('imageStatus', [image], () => this.images.find(image));
  }

  pullImage(request: PullRequest): Promise<string> {
    return this.faults.call('pullImage', [request], () => this.images.pull(request));
  }

  removeImage(image: string): Promise<void> {
    return this.faults.call('removeImage', [image], () => this.images.remove(image));
  }

  imageFilesystems(): Promise<readonly FilesystemUsage[]> {
    return this.faults.call('imageFilesystems', [], () => this.filesystems);
  }

  events(signal: AbortSignal): AsyncIterable<ContainerEvent> {
    return this.#events.follow(signal);
  }

  #create(request: CreateContainerRequest): string {
    const { sandboxId, config, sandboxConfig } = request;
    if (this.#sandbox(sandboxId).state !== 'ready')
      throw new RuntimeError('FailedPrecondition', `sandbox ${sandboxId} is not ready`);
    const image = this.images.find(config.image);
    if (!image) throw new RuntimeError('NotFound', `image "${config.image}" not found`);
    const id = `container-${++this.#count}`;
    const { uid } = sandboxConfig.metadata;
    const container = new FakeContainer(id, request, {
      clock: this.#clock,
      time: () => this.#time(),
      imageRef: image.id,
      program: this.#programOf(config) ?? {},
      changed: (type) => this.#emit(type, id, uid),
    });
    this.#containers.set(id, container);
    this.#emit('created', id, uid);
    return id;
  }

  #emit(type: ContainerEvent['type'], id: string, podUid: string): void {
    this.#events.emit({ id, type, at: this.#clock.wall(), podUid });
  }

  #sandbox(id: string): FakeSandbox {
    const found = this.#sandboxes.get(id);
    if (!found) throw new RuntimeError('NotFound', `sandbox "${id}" not found`);
    return found;
  }

  #container(id: string): FakeContainer {
    const found = this.#containers.get(id);
    if (!found) throw new RuntimeError('NotFound', `container "${id}" not found`);
    return found;
  }

  #running(id: string): FakeContainer {
    const container = this.#container(id);
    if (container.state !== 'running')
      throw new RuntimeError('FailedPrecondition', `container ${id} is in state ${container.state}`);
    return container;
  }

  #containersIn(sandboxId: string): FakeContainer[] {
    return [...this.#containers.values()].filter(({ request }) => request.sandboxId === sandboxId);
  }

  #killIn(sandboxId: string): void {
    for (const container of this.#containersIn(sandboxId)) container.exit(137);
  }

  /** Returns a time that is later than all before, also while the clock stands still. */
  #time(): number {
    this.#latest = Math.max(this.#clock.wall(), this.#latest + 0.001);
    return this.#latest;
  }
}
