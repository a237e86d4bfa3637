import type { NamespaceOptions, SELinuxOptions, SecurityProfile } from './isolation.js';
import type { LinuxResources } from './resources.js';
import type { StringMap } from './string-map.js';

/** Identity of a sandbox: which pod it is for, and the number of the attempt. */
export interface SandboxMetadata {
  /** Name of the pod. */
  readonly name: string;
  /** UID of the pod. */
  readonly uid: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** How many sandboxes of this pod there were before. */
  readonly attempt: number;
}

/** Contents of resolv.conf. */
export interface DnsConfig {
  /** Addresses of name servers. */
  readonly servers: readonly string[];
  /** Domains to search. */
  readonly searches: readonly string[];
  /** Options of the resolver, as `ndots:5`. */
  readonly options: readonly string[];
}

/** A port of the sandbox, also open on the node if `hostPort` is not 0. */
export interface PortMapping {
  /** Protocol of the port. */
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** Port in the sandbox, 1 to 65535. */
  readonly containerPort: number;
  /** Port of the node; 0 for none. */
  readonly hostPort: number;
  /** Address of the node on which it is open; empty for all. */
  readonly hostIP: string;
}

/** Privileges of the process that keeps a sandbox. */
export interface SandboxSecurity {
  /** Namespaces in which it runs. */
  readonly namespaces: NamespaceOptions;
  /** SELinux label; absent: the runtime chooses. */
  readonly seLinux?: SELinuxOptions;
  /** Numeric user of its process. */
  readonly runAsUser?: number;
  /** Numeric group of its process. */
  readonly runAsGroup?: number;
  /** Whether its root can only be read; false by default. */
  readonly readOnlyRootFilesystem?: boolean;
  /** Further groups of its processes. */
  readonly supplementalGroups?: readonly number[];
  /** Whether privileged containers may be created in it. */
  readonly privileged?: boolean;
  /** Seccomp profile; absent: unconfined. */
  readonly seccomp?: SecurityProfile;
}

/** Settings of a sandbox: what the containers of a pod share. */
export interface SandboxConfig {
  /** Identity of the sandbox. */
  readonly metadata: SandboxMetadata;
  /** Host name in the sandbox; empty with the node's network. */
  readonly hostname: string;
  /** Absolute path of the folder of the pod's logs on the node; it exists. */
  readonly logDirectory: string;
  /** Contents of resolv.conf; absent: as on the node. */
  readonly dns?: DnsConfig;
  /** Ports that are open on the node. */
  readonly portMappings?: readonly PortMapping[];
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
  /** Cgroup of the pod, from the root of the hierarchies, as `/kubepods/besteffort/pod1234`; empty: the runtime's default. */
  readonly cgroupParent?: string;
  /** Privileges. */
  readonly security: SandboxSecurity;
  /** Kernel parameters by name, as `net.core.somaxconn`. */
  readonly sysctls?: StringMap;
  /** Resources that the sandbox itself uses beside its containers. */
  readonly overhead?: LinuxResources;
  /** Sum of the containers' resources. */
  readonly resources?: LinuxResources;
  /** Name of the runtime's handler (RuntimeClass); empty: the default. */
  readonly runtimeHandler?: string;
}

/** `ready` while its namespaces and network exist; `notready` once it was stopped or its process has ended. */
export type SandboxState = 'ready' | 'notready';

/** A sandbox as lists have it. */
export interface ListedSandbox {
  /** Id, unique in the runtime. */
  readonly id: string;
  /** Identity as in the settings. */
  readonly metadata: SandboxMetadata;
  /** State at the time of the call. */
  readonly state: SandboxState;
  /** Milliseconds since 1970, with fractions. */
  readonly createdAt: number;
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
  /** Name of the runtime's handler; empty: the default. */
  readonly runtimeHandler: string;
}

/** A sandbox with its network. */
export interface SandboxStatus extends ListedSandbox {
  /** Addresses of the sandbox, the first one of the preferred family; empty with the node's network, or when it is not ready. */
  readonly ips: readonly string[];
  /** Namespaces in which it runs. */
  readonly namespaces: NamespaceOptions;
}

/** Conditions of a list of sandboxes, all of which hold; an empty one selects all. */
export interface SandboxFilter {
  /** An id or its beginning. */
  readonly id?: string;
  /** State of the sandboxes. */
  readonly state?: SandboxState;
  /** Labels that a sandbox has. */
  readonly labels?: StringMap;
}
