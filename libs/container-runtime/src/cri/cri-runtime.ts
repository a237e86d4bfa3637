import type { GrpcSocket } from '@orch/grpc';
import type {
  ContainerEvent,
  ContainerFilter,
  CreateContainerRequest,
  ListedContainer,
  RuntimeContainerStatus,
} from '../containers.js';
import type { FilesystemUsage, PullRequest, StoredImage } from '../images.js';
import type { LinuxResources } from '../resources.js';
import type { Runtime, RuntimeCondition, RuntimeVersion } from '../runtime.js';
import { isUnreachable, RuntimeError } from '../runtime-error.js';
import type { ListedSandbox, SandboxConfig, SandboxFilter, SandboxStatus } from '../sandboxes.js';
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
  StreamSelection,
} from '../streams.js';
import { CriImages } from './cri-images.js';
import { type CriMethod, CriService } from './cri-service.js';
import { METHODS } from './methods.js';
import { sandboxImageOf, type WireInformation, type WireVersion } from './runtime-information.js';
import { containerMessage, sandboxMessage } from './wire-config.js';
import {
  containerStatistics,
  sandboxStatistics,
  type WireContainerStatistics,
  type WireSandboxStatistics,
} from './wire-statistics.js';
import {
  containerEvent,
  containerStatus,
  listedContainer,
  listedSandbox,
  sandboxStatus,
  type WireContainer,
  type WireContainerStatus,
  type WireEvent,
  type WireSandboxStatus,
} from './wire-status.js';

const REQUEST_TIMEOUT_MS = 120_000;

/** Address and limits of a runtime that speaks CRI. */
export interface CriRuntimeOptions {
  /** Path of its Unix socket. */
  readonly socket: string;
  /** Path of the socket of its image service; by default the same. */
  readonly imageSocket?: string;
  /** Milliseconds of a call, without what a request itself takes (a grace period, a command's time); 2 min by default. */
  readonly requestTimeout?: number;
}

interface WireId {
  readonly id: string;
}

interface Items<T> {
  readonly items: readonly T[];
}

interface WireStats<T> {
  readonly stats: T | null;
}

interface WireConditions {
  readonly conditions: readonly RuntimeCondition[];
}

/** A runtime that speaks the Container Runtime Interface, version 1, on a Unix socket. Connections that are lost are made again. */
export class CriRuntime implements Runtime {
  readonly #timeout: number;
  readonly #sockets: ReadonlySet<GrpcSocket>;
  readonly #service: CriService;
  readonly #images: CriImages;

  constructor({ socket, imageSocket = socket, requestTimeout = REQUEST_TIMEOUT_MS }: CriRuntimeOptions) {
    this.#timeout = requestTimeout;
    const own = CriService.socket(socket);
    const ofImages = imageSocket === socket ? own : CriService.socket(imageSocket);
    this.#sockets = new Set([own, ofImages]);
    this.#service = new CriService('runtime.v1.RuntimeService', own, requestTimeout);
    this.#images = new CriImages(new CriService('runtime.v1.ImageService', ofImages, requestTimeout));
  }

  async version(): Promise<RuntimeVersion> {
    const answer = await this.#service.call<WireVersion>(METHODS.version, { version: 'v1' });
    return { name: answer.runtimeName, version: answer.runtimeVersion, apiVersion: answer.runtimeApiVersion };
  }

  async conditions(): Promise<readonly RuntimeCondition[]> {
    const { status } = await this.#service.call<{ status: WireConditions | null }>(METHODS.status, {});
    return status?.conditions ?? [];
  }

  async sandboxImage(): Promise<string | undefined> {
    return sandboxImageOf(await this.#service.call<WireInformation>(METHODS.status, { verbose: true }));
  }

  async setPodCidr(podCidr: string): Promise<void> {
    await this.#service.call(METHODS.updateConfig, { config: { network: { podCidr } } });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close();
  }

  async runSandbox(config: SandboxConfig): Promise<string> {
    const request = { config: sandboxMessage(config), runtimeHandler: config.runtimeHandler };
    // The image of the sandbox may have to be pulled first.
    const timeout = 2 * this.#timeout;
    return (await this.#service.call<WireId>(METHODS.runSandbox, request, { timeout })).id;
  }

  stopSandbox(id: string): Promise<void> {
    return this.#service.callIdempotent(METHODS.stopSandbox, { id });
  }

  removeSandbox(id: string): Promise<void> {
    return this.#service.callIdempotent(METHODS.removeSandbox, { id });
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    const { status } = await this.#service.call<{ status: WireSandboxStatus | null }>(METHODS.sandboxStatus, { id });
    return sandboxStatus(present(status, id));
  }

  async listSandboxes(filter: SandboxFilter = {}): Promise<readonly ListedSandbox[]> {
    const { items } = await this.#service.call<Items<ListedSandbox>>(METHODS.listSandboxes, {
      filter: withState(filter),
    });
    return items.map(listedSandbox);
  }

  async createContainer({ sandboxId, config, sandboxConfig }: CreateContainerRequest): Promise<string> {
    const request = { sandboxId, config: containerMessage(config), sandboxConfig: sandboxMessage(sandboxConfig) };
    return (await this.#service.call<WireId>(METHODS.createContainer, request)).id;
  }

  async startContainer(id: string): Promise<void> {
    await this.#service.call(METHODS.startContainer, { id });
  }

  stopContainer(id: string, grace: number): Promise<void> {
    const timeout = this.#timeout + grace * 1000;
    return this.#service.callIdempotent(METHODS.stopContainer, { id, timeout: grace }, { timeout });
  }

  removeContainer(id: string): Promise<void> {
    return this.#service.callIdempotent(METHODS.removeContainer, { id });
  }

  async containerStatus(id: string): Promise<RuntimeContainerStatus> {
    const { status } = await this.#service.call<{ status: WireContainerStatus | null }>(METHODS.containerStatus, {
      id,
    });
    return containerStatus(present(status, id));
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ListedContainer[]> {
    const { items } = await this.#service.call<Items<WireContainer>>(METHODS.listContainers, {
      filter: withState(filter),
    });
    return items.map(listedContainer);
  }

  async updateContainerResources(id: string, resources: LinuxResources): Promise<void> {
    await this.#service.call(METHODS.updateResources, { id, linux: resources });
  }

  async reopenContainerLog(id: string): Promise<void> {
    await this.#service.call(METHODS.reopenLog, { id });
  }

  async checkpointContainer(id: string, location: string, seconds: number): Promise<void> {
    const timeout = this.#timeout + seconds * 1000;
    await this.#service.call(METHODS.checkpoint, { id, location, timeout: seconds }, { timeout });
  }

  async execSync({ containerId, command, timeout }: ExecSyncRequest): Promise<ExecSyncResult> {
    const request = { containerId, command, timeout: Math.ceil(timeout / 1000) };
    const whole = timeout > 0 ? this.#timeout + timeout : Infinity;
    return this.#service.call<ExecSyncResult>(METHODS.execSync, request, { timeout: whole });
  }

  async exec(request: ExecRequest): Promise<StreamEndpoint> {
    return this.#url(METHODS.exec, withoutStderrOfTerminal(request));
  }

  async attach(request: AttachRequest): Promise<StreamEndpoint> {
    return this.#url(METHODS.attach, withoutStderrOfTerminal(request));
  }

  async portForward(request: PortForwardRequest): Promise<PortEndpoint> {
    return this.#url(METHODS.portForward, request);
  }

  async containerStatistics(id: string): Promise<ContainerStatistics> {
    const { stats } = await this.#service.call<WireStats<WireContainerStatistics>>(METHODS.containerStatistics, { id });
    return containerStatistics(present(stats, id));
  }

  async listContainerStatistics(filter: ContainerStatisticsFilter = {}): Promise<readonly ContainerStatistics[]> {
    const { items } = await this.#service.call<Items<WireContainerStatistics>>(METHODS.listContainerStatistics, {
      filter,
    });
    return items.map(containerStatistics);
  }

  async sandboxStatistics(id: string): Promise<SandboxStatistics> {
    const { stats } = await this.#service.call<WireStats<WireSandboxStatistics>>(METHODS.sandboxStatistics, { id });
    return sandboxStatistics(present(stats, id));
  }

  async listSandboxStatistics(filter: SandboxStatisticsFilter = {}): Promise<readonly SandboxStatistics[]> {
    try {
      const { items } = await this.#service.call<Items<WireSandboxStatistics>>(METHODS.listSandboxStatistics, {
        filter,
      });
      return items.map(sandboxStatistics);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      // Runtimes fail the whole list for one container that ends meanwhile.
      return this.#statisticsOneByOne(filter);
    }
  }

  /** Leaves out sandboxes whose statistics cannot be had. @throws RuntimeError where the runtime cannot be reached */
  async #statisticsOneByOne(filter: SandboxStatisticsFilter): Promise<readonly SandboxStatistics[]> {
    const sandboxes = await this.listSandboxes({ ...filter, state: 'ready' });
    const found = sandboxes.map(({ id }) =>
      this.sandboxStatistics(id).catch((error: unknown) => {
        if (isUnreachable(error)) throw error;
        return undefined;
      }),
    );
    return (await Promise.all(found)).filter((each) => each !== undefined);
  }

  listImages(image?: string): Promise<readonly StoredImage[]> {
    return this.#images.list(image);
  }

  imageStatus(image: string): Promise<StoredImage | undefined> {
    return this.#images.status(image);
  }

  pullImage(request: PullRequest): Promise<string> {
    return this.#images.pull(request);
  }

  removeImage(image: string): Promise<void> {
    return this.#images.remove(image);
  }

  imageFilesystems(): Promise<readonly FilesystemUsage[]> {
    return this.#images.filesystems();
  }

  async *events(signal: AbortSignal): AsyncIterable<ContainerEvent> {
    for await (const event of this.#service.stream<WireEvent>(METHODS.events, {}, signal)) yield containerEvent(event);
  }

  async #url(method: CriMethod, request: object): Promise<{ kind: 'url'; url: string }> {
    const { url } = await this.#service.call<{ url: string }>(method, request);
    return { kind: 'url', url };
  }
}

/** Runtimes refuse standard error beside a terminal. */
const withoutStderrOfTerminal = <T extends StreamSelection>(request: T): T => ({
  ...request,
  stderr: request.stderr && !request.tty,
});

/** A state is a message of its own, as its first value is the default. */
const withState = <T extends { readonly state?: string }>({ state, ...rest }: T): object =>
  state === undefined ? rest : { ...rest, state: { state } };

function present<T>(message: T | null, id: string): T {
  if (message === null) throw new RuntimeError('NotFound', `${id} not found`);
  return message;
}
