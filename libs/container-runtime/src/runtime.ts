import type {
  ContainerEvent,
  ContainerFilter,
  CreateContainerRequest,
  ListedContainer,
  RuntimeContainerStatus,
} from './containers.js';
import type { FilesystemUsage, PullRequest, StoredImage } from './images.js';
import type { LinuxResources } from './resources.js';
import type { ListedSandbox, SandboxConfig, SandboxFilter, SandboxStatus } from './sandboxes.js';
import type {
  ContainerStatistics,
  ContainerStatisticsFilter,
  SandboxStatistics,
  SandboxStatisticsFilter,
} from './statistics.js';
import type {
  AttachRequest,
  ExecRequest,
  ExecSyncRequest,
  ExecSyncResult,
  PortEndpoint,
  PortForwardRequest,
  StreamEndpoint,
} from './streams.js';

/** Name and versions of a runtime. */
export interface RuntimeVersion {
  /** Scheme of container ids, as `containerd`. */
  readonly name: string;
  /** Version of the runtime. */
  readonly version: string;
  /** Version of the protocol, `v1`. */
  readonly apiVersion: string;
}

/** A condition of a runtime. `RuntimeReady` and `NetworkReady` are required; others may be there. */
export interface RuntimeCondition {
  /** Name of the condition. */
  readonly type: string;
  /** Whether it holds. */
  readonly status: boolean;
  /** Reason in CamelCase. */
  readonly reason: string;
  /** Details for people. */
  readonly message: string;
}

/**
 * Runs the containers of pods, with the semantics of the Container Runtime Interface, version 1, of release 1.27. The
 * state is the runtime's: whoever connects later finds all sandboxes and containers by their labels.
 *
 * Every method rejects with RuntimeError, code `NotFound` for an id that does not exist, if nothing else is said.
 * Methods may be called concurrently, for different objects.
 */
export interface Runtime {
  /** Returns name and versions. */
  version(): Promise<RuntimeVersion>;
  /** Returns the conditions. */
  conditions(): Promise<readonly RuntimeCondition[]>;
  /** Returns the image that every sandbox needs, if it is known; absent where there is none. */
  sandboxImage?(): Promise<string | undefined>;
  /** Sets the range of pods' addresses, for runtimes that configure the network; empty: none. */
  setPodCidr(cidr: string): Promise<void>;
  /** Ends connections to the runtime; sandboxes and containers continue. Later calls reject with `Canceled`. */
  close(): Promise<void>;

  /** Creates and starts a sandbox; resolves with its id once it is ready. */
  runSandbox(config: SandboxConfig): Promise<string>;
  /**
   * Kills the containers of a sandbox and releases its network. Idempotent; resolves for an id that does not exist.
   * It may be called again to release what was left.
   */
  stopSandbox(id: string): Promise<void>;
  /** Removes a sandbox with its containers, which are killed if they run. Resolves for an id that does not exist. */
  removeSandbox(id: string): Promise<void>;
  /** Returns one sandbox. */
  sandboxStatus(id: string): Promise<SandboxStatus>;
  /** Returns the selected sandboxes in unspecified order. */
  listSandboxes(filter?: SandboxFilter): Promise<readonly ListedSandbox[]>;

  /**
   * Creates a container in a sandbox that is ready; resolves with its id.
   *
   * @throws UnsupportedFieldError for settings that the runtime cannot provide
   */
  createContainer(request: CreateContainerRequest): Promise<string>;
  /** Starts a created container. Rejects if its program cannot be started: the container is then `exited`, with reason `StartError`. */
  startContainer(id: string): Promise<void>;
  /**
   * Sends the image's stop signal (SIGTERM by default), and SIGKILL after the grace period; resolves once the container has
   * exited. Idempotent; resolves for an id that does not exist.
   *
   * @param grace seconds; 0 kills at once
   */
  stopContainer(id: string, grace: number): Promise<void>;
  /** Removes a container, which is killed if it runs; its log stays. Resolves for an id that does not exist. */
  removeContainer(id: string): Promise<void>;
  /** Returns one container. */
  containerStatus(id: string): Promise<RuntimeContainerStatus>;
  /** Returns the selected containers in unspecified order. */
  listContainers(filter?: ContainerFilter): Promise<readonly ListedContainer[]>;
  /** Changes limits of a container; absent fields stay. */
  updateContainerResources(id: string, resources: LinuxResources): Promise<void>;
  /** Opens the log of a running container anew, after the file was renamed. */
  reopenContainerLog(id: string): Promise<void>;
  /** Writes a checkpoint of a running container to a file on the node; absent where unsupported. @param timeout seconds */
  checkpointContainer?(id: string, location: string, timeout: number): Promise<void>;

  /** Runs a command in a running container to its end. A failing command is no error but its exit code. */
  execSync(request: ExecSyncRequest): Promise<ExecSyncResult>;
  /** Starts a command in a running container, with streams. */
  exec(request: ExecRequest): Promise<StreamEndpoint>;
  /** Connects to the streams of a running container; output begins now. */
  attach(request: AttachRequest): Promise<StreamEndpoint>;
  /** Opens a way to ports of a sandbox that is ready. */
  portForward(request: PortForwardRequest): Promise<PortEndpoint>;

  /** Returns usage of one container. */
  containerStatistics(id: string): Promise<ContainerStatistics>;
  /** Returns usage of the selected containers that run. */
  listContainerStatistics(filter?: ContainerStatisticsFilter): Promise<readonly ContainerStatistics[]>;
  /** Returns usage of one sandbox. */
  sandboxStatistics(id: string): Promise<SandboxStatistics>;
  /** Returns usage of the selected sandboxes that are ready. */
  listSandboxStatistics(filter?: SandboxStatisticsFilter): Promise<readonly SandboxStatistics[]>;

  /** Returns all images, or those that a reference or id means. */
  listImages(image?: string): Promise<readonly StoredImage[]>;
  /** Returns the image of a reference or id; undefined if it is not on the node. */
  imageStatus(image: string): Promise<StoredImage | undefined>;
  /** Pulls an image; resolves with a reference or id by which containers can be created. Rejects in the words of the registry. */
  pullImage(request: PullRequest): Promise<string>;
  /** Removes an image, by each of its names. Resolves for one that is not there. */
  removeImage(image: string): Promise<void>;
  /** Returns usage of the file systems of images. */
  imageFilesystems(): Promise<readonly FilesystemUsage[]>;

  /**
   * Yields changes of containers from now on, until the signal aborts; absent where unsupported. Throws `Unimplemented`
   * if the runtime turns out not to have them, `Unavailable` when the connection is lost.
   */
  events?(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}
