/**
 * Extent of a namespace: shared by the pod's containers, the container's own, the node's, or that of the container
 * `targetId`.
 */
export type NamespaceMode = 'pod' | 'container' | 'node' | 'target';

/** A range of ids of a user namespace. */
export interface IdMapping {
  /** First id on the node. */
  readonly hostId: number;
  /** First id in the container. */
  readonly containerId: number;
  /** Number of ids. */
  readonly length: number;
}

/** Namespaces of a sandbox or container. */
export interface NamespaceOptions {
  /** Network namespace. */
  readonly network: 'pod' | 'node';
  /** Namespace of processes. */
  readonly pid: NamespaceMode;
  /** Namespace of shared memory, semaphores and message queues. */
  readonly ipc: 'pod' | 'node';
  /** Container whose PID namespace is used where `pid` is `target`. */
  readonly targetId?: string;
  /** User namespace; absent: the node's. */
  readonly users?: { readonly uids: readonly IdMapping[]; readonly gids: readonly IdMapping[] };
}

/** A seccomp or AppArmor profile. */
export type SecurityProfile =
  | { readonly type: 'runtime-default' | 'unconfined' }
  | {
      readonly type: 'localhost';
      /** Absolute path of a seccomp profile; name of an AppArmor profile. */
      readonly localhostRef: string;
    };

/** An SELinux label. */
export interface SELinuxOptions {
  /** User part of the label. */
  readonly user?: string;
  /** Role part of the label. */
  readonly role?: string;
  /** Type part of the label. */
  readonly type?: string;
  /** Level part of the label. */
  readonly level?: string;
}
