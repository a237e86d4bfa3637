import type { IdMapping, NamespaceOptions, SELinuxOptions, SecurityProfile } from './isolation.js';
import type { LinuxResources } from './resources.js';
import type { SandboxConfig } from './sandboxes.js';
import type { StringMap } from './string-map.js';

/** Identity of a container in its sandbox. */
export interface ContainerMetadata {
  /** Name in the pod. */
  readonly name: string;
  /** How many containers of that name there were in the pod before (restart count). */
  readonly attempt: number;
}

/** A file or folder of the node that a container sees. */
export interface ContainerMount {
  /** Absolute path in the container. */
  readonly containerPath: string;
  /** Absolute path on the node; it exists. Symbolic links are followed. */
  readonly hostPath: string;
  /** Whether the container may only read it; false by default. */
  readonly readOnly?: boolean;
  /** Whether the files get the SELinux label of the container. */
  readonly seLinuxRelabel?: boolean;
  /** Which later mounts below are seen on the other side; `private` by default. */
  readonly propagation?: 'private' | 'host-to-container' | 'bidirectional';
  /** Users of the node as the container sees them; absent: those of the user namespace. */
  readonly uidMappings?: readonly IdMapping[];
  /** Groups of the node as the container sees them; absent: those of the user namespace. */
  readonly gidMappings?: readonly IdMapping[];
}

/** A device of the node that a container may use. */
export interface ContainerDevice {
  /** Absolute path in the container. */
  readonly containerPath: string;
  /** Absolute path on the node. */
  readonly hostPath: string;
  /** Letters of `rwm`: read, write, mknod. */
  readonly permissions: string;
}

/** An environment variable. */
export interface EnvironmentVariable {
  /** Name without `=`. */
  readonly name: string;
  /** Value as it is; nothing is expanded. */
  readonly value: string;
}

/** Privileges of a container. */
export interface ContainerSecurity {
  /** Added to and dropped from the runtime's default capabilities, without `CAP_`; `ALL` for all. */
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  /** All capabilities and devices, no profiles; other fields do not matter then. */
  readonly privileged?: boolean;
  /** Namespaces in which it runs. */
  readonly namespaces: NamespaceOptions;
  /** SELinux label; absent: the runtime chooses. */
  readonly seLinux?: SELinuxOptions;
  /** Numeric user; excludes `runAsUserName`. With neither, the image's user. */
  readonly runAsUser?: number;
  /** Name of a user in the image's /etc/passwd. */
  readonly runAsUserName?: string;
  /** Requires a user. */
  readonly runAsGroup?: number;
  /** Further groups of its processes. */
  readonly supplementalGroups?: readonly number[];
  /** Whether its root can only be read; false by default. */
  readonly readOnlyRootFilesystem?: boolean;
  /** Whether programs never get more privileges than they started with; false by default. */
  readonly noNewPrivileges?: boolean;
  /** Paths that are hidden; absent: the runtime's default. */
  readonly maskedPaths?: readonly string[];
  /** Paths that are read-only; absent: the runtime's default. */
  readonly readOnlyPaths?: readonly string[];
  /** Absent: unconfined. */
  readonly seccomp?: SecurityProfile;
  /** Absent: the runtime's default where AppArmor is enabled. */
  readonly appArmor?: SecurityProfile;
}

/** Settings of a container. */
export interface ContainerConfig {
  /** Identity in the sandbox. */
  readonly metadata: ContainerMetadata;
  /** Image as `imageStatus` or `pullImage` returned it: an id or a reference that exists on the node. */
  readonly image: string;
  /** Entry point; empty: the image's. */
  readonly command?: readonly string[];
  /** Arguments; empty: the image's, if `command` is empty too. */
  readonly args?: readonly string[];
  /** Absolute path; empty: the image's. */
  readonly workingDir?: string;
  /** Added to the image's; a name may occur only once. */
  readonly env?: readonly EnvironmentVariable[];
  /** Files and folders of the node that it sees. */
  readonly mounts?: readonly ContainerMount[];
  /** Devices of the node that it may use. */
  readonly devices?: readonly ContainerDevice[];
  /** Names of devices of the Container Device Interface, as `vendor.com/gpu=gpudevice1`. */
  readonly cdiDevices?: readonly string[];
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
  /** Path of the log, relative to the sandbox's log directory, as `c/0.log`; its folder exists. */
  readonly logPath: string;
  /** Whether standard input stays open for attachments. */
  readonly stdin?: boolean;
  /** Whether it is closed after the first attachment. */
  readonly stdinOnce?: boolean;
  /** Whether its streams are a terminal; false by default. */
  readonly tty?: boolean;
  /** Limits of its cgroup. */
  readonly resources?: LinuxResources;
  /** Privileges. */
  readonly security: ContainerSecurity;
}

/** A container with the sandbox that it is created in. */
export interface CreateContainerRequest {
  /** Sandbox in which it is created. */
  readonly sandboxId: string;
  /** Settings of the container. */
  readonly config: ContainerConfig;
  /** Settings that the sandbox was created with. */
  readonly sandboxConfig: SandboxConfig;
}

/** State of a container; `unknown` after an error of the runtime. */
export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** A container as lists have it. */
export interface ListedContainer {
  /** Id, unique in the runtime. */
  readonly id: string;
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** Identity as in the settings. */
  readonly metadata: ContainerMetadata;
  /** Image as in the settings of the container. */
  readonly image: string;
  /** Id or digest of the image that is used. */
  readonly imageRef: string;
  /** State at the time of the call. */
  readonly state: ContainerState;
  /** Milliseconds since 1970, with fractions. */
  readonly createdAt: number;
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
}

/** State and outcome of one container. Times are milliseconds since 1970, with fractions. */
export interface RuntimeContainerStatus extends Omit<ListedContainer, 'sandboxId'> {
  /** Absent while it has not started. */
  readonly startedAt?: number;
  /** Absent while it has not ended. */
  readonly finishedAt?: number;
  /** Exit code, 128 + signal for a signal; meaningful if the state is `exited`. */
  readonly exitCode: number;
  /** Reason of the end in CamelCase: `Completed`, `Error`, `OOMKilled`, `StartError`, `ContainerCannotRun`; empty before. */
  readonly reason: string;
  /** Details for people. */
  readonly message: string;
  /** Files and folders of the node that it sees. */
  readonly mounts: readonly ContainerMount[];
  /** Absolute path on the node. */
  readonly logPath: string;
  /** Effective limits, if the runtime reports them. */
  readonly resources?: LinuxResources;
}

/** Conditions of a list of containers, all of which hold; an empty one selects all. */
export interface ContainerFilter {
  /** An id or its beginning. */
  readonly id?: string;
  /** State of the containers. */
  readonly state?: ContainerState;
  /** Id of the sandbox. */
  readonly sandboxId?: string;
  /** Labels that a container has. */
  readonly labels?: StringMap;
}

/** A change of a container. Events may be lost: lists are the truth. */
export interface ContainerEvent {
  /** Id of a container or of a sandbox. */
  readonly id: string;
  /** Change that has happened. */
  readonly type: 'created' | 'started' | 'stopped' | 'deleted';
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  /** UID of the pod, if known. */
  readonly podUid?: string;
}
