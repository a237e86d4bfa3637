import type { ContainerState, SandboxState } from '@orch/container-runtime';

/** A run of a container, as the runtime has it. Times are milliseconds since 1970. */
export interface ObservedContainer {
  /** Id in the runtime. */
  readonly id: string;
  /** Id as objects have it: `<runtime>://id`. */
  readonly fullId: string;
  /** Id of the sandbox that it is in. */
  readonly sandboxId: string;
  /** Name in the pod's spec. */
  readonly name: string;
  /** Hash of the container's spec that it was made from; empty if it is not known. */
  readonly hash: string;
  /** Number of runs before this one. */
  readonly restartCount: number;
  /** State. */
  readonly state: ContainerState;
  /** Image as in the spec. */
  readonly image: string;
  /** Id or digest of the image that is used. */
  readonly imageId: string;
  /** Time at which it was made. */
  readonly createdAt: number;
  /** Time at which it was started. */
  readonly startedAt?: number;
  /** Time at which it ended. */
  readonly finishedAt?: number;
  /** Exit code, of one that has ended. */
  readonly exitCode: number;
  /** Reason of its end. */
  readonly reason: string;
  /** Message of its end, from its termination message or its log. */
  readonly message: string;
}

/** A sandbox of a pod, as the runtime has it. */
export interface ObservedSandbox {
  /** Id in the runtime. */
  readonly id: string;
  /** State. */
  readonly state: SandboxState;
  /** Number of sandboxes of the pod before this one. */
  readonly attempt: number;
  /** Whether it uses the node's network. */
  readonly hostNetwork: boolean;
  /** Addresses; empty if it has none of its own. */
  readonly ips: readonly string[];
}

/** A pod, as the runtime has it. */
export interface ObservedPod {
  /** Uid of the pod. */
  readonly uid: string;
  /** Name of the pod. */
  readonly name: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Sandboxes, the newest first. */
  readonly sandboxes: readonly ObservedSandbox[];
  /** Runs of all containers, the newest first. */
  readonly containers: readonly ObservedContainer[];
}

/** Returns a pod of which the runtime has nothing. */
export const nothingOf = (uid: string, name: string, namespace: string): ObservedPod => ({
  uid,
  name,
  namespace,
  sandboxes: [],
  containers: [],
});

/** Returns the newest run of a container; undefined if there is none. */
export const latestRun = ({ containers }: ObservedPod, name: string): ObservedContainer | undefined =>
  containers.find((container) => container.name === name);

/** Whether a container of a pod runs. */
export const hasRunning = ({ containers }: ObservedPod): boolean =>
  containers.some(({ state }) => state === 'running' || state === 'unknown');
