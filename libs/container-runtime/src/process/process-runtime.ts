import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '@orch/runtime/clock';
import type {
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
import { selectsContainer, selectsSandbox, selectsStatistics } from '../selection.js';
import type {
  ContainerStatistics,
  ContainerStatisticsFilter,
  SandboxStatistics,
  SandboxStatisticsFilter,
} from '../statistics.js';
import type {
  AttachRequest,
  ExecRequest,
  ExecSyncRequest,
  ExecSyncResult,
  PortEndpoint,
  PortForwardRequest,
  StreamEndpoint,
} from '../streams.js';
import { removeGroups } from './cgroups/cgroups.js';
import { ContainerFolders, type KnownContainer, listed, statusOf } from './container-folders.js';
import { ContainerMaker } from './container-maker.js';
import { describeImage, ImageStore } from './images/image-store.js';
import type { ImageLimits } from './images/layer.js';
import { Helpers } from './isolation/helpers.js';
import type { IsolationLevel } from './isolation/level.js';
import { checkSandbox } from './isolation/refusals.js';
import { connectTo } from './local-port.js';
import { ExecStreams, execToEnd } from './process-exec.js';
import { sandboxStatisticsOf, statisticsOf } from './process-statistics.js';
import { TerminalStreams } from './process-terminal.js';
import { listedSandboxOf, SandboxFolders, sandboxStatusOf } from './sandbox-folders.js';
import { killProcess } from './state/processes.js';
import { SupervisorClient } from './supervisor/supervisor-client.js';

/** Settings of the process runtime. */
export interface ProcessRuntimeOptions {
  /** Folder of its state, which no other runtime uses. */
  readonly folder: string;
  /** Folder with images: archives and folders in the OCI layout, plain root folders. */
  readonly images?: string;
  /** `namespaces` (default) isolates containers, with one user each where this process is not root; `none` does not. */
  readonly isolation?: 'namespaces' | 'none';
  /** Limits of an image; 10 GiB and a million files by default. */
  readonly imageLimits?: ImageLimits;
  /** Receives why a file of the images is none. */
  readonly onError?: (error: Error) => void;
}

const IMAGE_LIMITS: ImageLimits = { bytes: 10 * 2 ** 30, entries: 1_000_000 };
const VERSION = '1.0.0';

/**
 * Runs containers as processes of this machine, with its network, each with a supervisor. Everything that is known
 * about them lies in a folder, so that a process that starts later finds them. What a container asks for and processes
 * cannot have is refused.
 */
export class ProcessRuntime implements Runtime {
  readonly #level: IsolationLevel;
  readonly #sandboxes: SandboxFolders;
  readonly #containers: ContainerFolders;
  readonly #images: ImageStore;
  readonly #maker: ContainerMaker;

  private constructor(private readonly options: ProcessRuntimeOptions) {
    const { folder, images, isolation = 'namespaces', imageLimits = IMAGE_LIMITS, onError = () => undefined } = options;
    // Containers see parts of it as mounts of their own; nobody else need look into it.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#level = isolation === 'none' ? 'none' : process.getuid?.() === 0 ? 'namespaces' : 'user-namespaces';
    const source = images === undefined ? {} : { source: images };
    this.#sandboxes = new SandboxFolders(join(folder, 'sandboxes'));
    this.#containers = new ContainerFolders(join(folder, 'containers'));
    this.#images = new ImageStore({ folder: join(folder, 'images'), ...source, limits: imageLimits, onError });
    const helpers = this.#level === 'none' ? undefined : new Helpers(join(folder, 'helpers'));
    const stores = { sandboxes: this.#sandboxes, containers: this.#containers, images: this.#images };
    this.#maker = new ContainerMaker({ level: this.#level, helpers, ...stores });
  }

  /** Opens the runtime on its folder, and unpacks new images. @throws Error if a program that it needs is not installed */
  static async open(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
    const runtime = new ProcessRuntime(options);
    await runtime.#containers.removeIncomplete();
    await runtime.#images.load();
    return runtime;
  }

  async version(): Promise<RuntimeVersion> {
    return { name: 'process', version: VERSION, apiVersion: 'v1' };
  }

  async conditions(): Promise<readonly RuntimeCondition[]> {
    return ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true, reason: '', message: '' }));
  }

  /** Does nothing: addresses are the machine's. */
  async setPodCidr(): Promise<void> {}

  async close(): Promise<void> {}

  async runSandbox(config: SandboxConfig): Promise<string> {
    checkSandbox(config);
    return this.#sandboxes.make(config);
  }

  async stopSandbox(id: string): Promise<void> {
    const found = this.#sandboxes.find(id);
    if (!found) return;
    this.#sandboxes.set(found, 'notready');
    await Promise.all(this.#containersOf(id).map((container) => this.#stopNow(container)));
  }

  async removeSandbox(id: string): Promise<void> {
    await this.stopSandbox(id);
    await Promise.all(this.#containersOf(id).map(({ record }) => this.removeContainer(record.id)));
    await this.#sandboxes.remove(id);
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    return sandboxStatusOf(this.#sandboxes.get(id));
  }

  async listSandboxes(filter: SandboxFilter = {}): Promise<readonly ListedSandbox[]> {
    return this.#sandboxes
      .list()
      .map(listedSandboxOf)
      .filter((sandbox) => selectsSandbox(filter, sandbox));
  }

  createContainer(request: CreateContainerRequest): Promise<string> {
    return this.#maker.make(request);
  }

  async startContainer(id: string): Promise<void> {
    const { state, progress } = this.#containers.get(id);
    if (state !== 'created' || progress)
      throw new RuntimeError('FailedPrecondition', `container "${id}" is in state ${state}`);
    await this.#supervisor(id).start();
  }

  async stopContainer(id: string, grace: number): Promise<void> {
    const found = this.#containers.find(id);
    if (found?.state !== 'running') return;
    const supervisor = this.#supervisor(id);
    if (grace > 0) {
      const { ended } = await supervisor.signal(found.record.stopSignal);
      if (await Promise.race([ended.then(() => true), sleep(systemClock, grace * 1000).then(() => false)])) return;
    }
    const killed = await supervisor.signal('SIGKILL');
    await killed.ended;
  }

  async removeContainer(id: string): Promise<void> {
    const found = this.#containers.find(id);
    if (!found) return;
    await this.stopContainer(id, 0);
    // One that is just being started ends with its supervisor.
    if (found.progress) await killProcess(found.progress.supervisor);
    removeGroups(found.record.launch.cgroups);
    await this.#containers.remove(id);
  }

  async containerStatus(id: string): Promise<RuntimeContainerStatus> {
    return statusOf(this.#containers.get(id));
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ListedContainer[]> {
    return this.#containers
      .list()
      .map(listed)
      .filter((container) => selectsContainer(filter, container));
  }

  async updateContainerResources(id: string, resources: LinuxResources): Promise<void> {
    this.#maker.update(this.#containers.get(id).record, resources);
  }

  async reopenContainerLog(id: string): Promise<void> {
    this.#running(id);
    await this.#supervisor(id).reopenLog();
  }

  async execSync(request: ExecSyncRequest): Promise<ExecSyncResult> {
    const { record, pid } = this.#running(request.containerId);
    return execToEnd(record, pid, request);
  }

  async exec(request: ExecRequest): Promise<StreamEndpoint> {
    const { record, pid } = this.#running(request.containerId);
    const streams = request.tty ? new TerminalStreams(record, pid, request) : new ExecStreams(record, pid, request);
    return { kind: 'streams', streams };
  }

  async attach(request: AttachRequest): Promise<StreamEndpoint> {
    this.#running(request.containerId);
    return { kind: 'streams', streams: await this.#supervisor(request.containerId).attach(request) };
  }

  async portForward({ sandboxId, ports }: PortForwardRequest): Promise<PortEndpoint> {
    if (this.#sandboxes.get(sandboxId).state !== 'ready')
      throw new RuntimeError('FailedPrecondition', `sandbox "${sandboxId}" is not ready`);
    return { kind: 'connections', connections: { connect: (port) => connectTo(port, ports) } };
  }

  async containerStatistics(id: string): Promise<ContainerStatistics> {
    const [usage] = statisticsOf([this.#containers.get(id)]);
    return usage as ContainerStatistics;
  }

  async listContainerStatistics({ sandboxId, ...filter }: ContainerStatisticsFilter = {}) {
    const running = this.#containers
      .list()
      .filter(
        ({ state, record: { id, request } }) =>
          state === 'running' &&
          (sandboxId ?? request.sandboxId) === request.sandboxId &&
          selectsStatistics(filter, { id, labels: request.config.labels }),
      );
    return statisticsOf(running);
  }

  async sandboxStatistics(id: string): Promise<SandboxStatistics> {
    const [usage] = sandboxStatisticsOf([this.#sandboxes.get(id)], this.#containersOf(id));
    return usage as SandboxStatistics;
  }

  async listSandboxStatistics(filter: SandboxStatisticsFilter = {}): Promise<readonly SandboxStatistics[]> {
    const ready = this.#sandboxes
      .list()
      .filter(({ id, state, config: { labels } }) => state === 'ready' && selectsStatistics(filter, { id, labels }));
    return sandboxStatisticsOf(ready, this.#containers.list());
  }

  async listImages(image?: string): Promise<readonly StoredImage[]> {
    const found = image === undefined ? this.#images.list() : [this.#images.find(image)];
    return found.filter((each) => each !== undefined).map(describeImage);
  }

  async imageStatus(image: string): Promise<StoredImage | undefined> {
    const found = this.#images.find(image);
    return found && describeImage(found);
  }

  /** Looks for new images in the folder of images: there is no registry. */
  async pullImage({ image }: PullRequest): Promise<string> {
    await this.#images.load();
    const found = this.#images.find(image);
    const place = this.options.images ?? 'the folder of images, which is not set';
    if (!found) throw new RuntimeError('NotFound', `failed to pull image "${image}": it is not in ${place}`);
    return found.id;
  }

  removeImage(image: string): Promise<void> {
    return this.#images.remove(image);
  }

  async imageFilesystems(): Promise<readonly FilesystemUsage[]> {
    const { files, ffree } = statfsSync(this.options.folder);
    const usedBytes = this.#images.list().reduce((sum, { size }) => sum + size, 0);
    return [{ at: systemClock.wall(), mountpoint: this.options.folder, usedBytes, inodesUsed: files - ffree }];
  }

  /** A start that is under way ends with its supervisor; one that comes later finds that the sandbox is not ready. */
  async #stopNow({ record, progress, state }: KnownContainer): Promise<void> {
    if (state === 'created' && progress) await killProcess(progress.supervisor);
    else await this.stopContainer(record.id, 0);
  }

  #containersOf(sandboxId: string): KnownContainer[] {
    return this.#containers.list().filter(({ record }) => record.request.sandboxId === sandboxId);
  }

  #supervisor(id: string): SupervisorClient {
    return new SupervisorClient(this.#containers.pathOf(id));
  }

  #running(id: string): { readonly record: KnownContainer['record']; readonly pid: number } {
    const { record, progress, state } = this.#containers.get(id);
    if (state !== 'running' || progress?.pid === undefined)
      throw new RuntimeError('FailedPrecondition', `container "${id}" is in state ${state}`);
    return { record, pid: progress.pid };
  }
}
