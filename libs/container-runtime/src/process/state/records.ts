import type { CreateContainerRequest } from '../../containers.js';
import type { SandboxConfig, SandboxState } from '../../sandboxes.js';

/** A sandbox as it is kept in its folder. */
export interface SandboxRecord {
  /** Id, which is the name of the folder. */
  readonly id: string;
  /** Settings that it was made with. */
  readonly config: SandboxConfig;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** State: it has no process of its own. */
  readonly state: SandboxState;
}

/** How the program of a container is started. */
export interface LaunchPlan {
  /** Program and arguments on the node, which in the end become the container's program. */
  readonly argv: readonly string[];
  /** Working directory on the node. */
  readonly cwd: string;
  /** Whether the first process in the namespaces is another one than the one that is started, and is announced on descriptor 3. */
  readonly announces: boolean;
  /** Folders of control groups that it joins. */
  readonly cgroups: readonly string[];
  /** Variables of the program on the node: those of the container's, under names of their own. */
  readonly env: Readonly<Record<string, string>>;
  /** Value of its oom_score_adj. */
  readonly oomScoreAdj?: number;
}

/** A container as it is kept in its folder. */
export interface ContainerRecord {
  /** Id, which is the name of the folder. */
  readonly id: string;
  /** Settings that it was made with. */
  readonly request: CreateContainerRequest;
  /** Id of its image. */
  readonly imageRef: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Absolute path of its log. */
  readonly logPath: string;
  /** Signal that ends it. */
  readonly stopSignal: string;
  /** How it is started. */
  readonly launch: LaunchPlan;
  /** Program and arguments before those of a command in the container; `{pid}` is the container's first process. */
  readonly enter: readonly string[];
}

/** A process that cannot be mistaken for another one with the same id. */
export interface ProcessIdentity {
  /** Process id. */
  readonly pid: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTicks: string;
}

/** Progress of a container, written by its supervisor. */
export interface ContainerProgress {
  /** The supervisor. */
  readonly supervisor: ProcessIdentity;
  /** Process id on the node of the first process; absent before it has started. */
  readonly pid?: number;
  /** Clock ticks between the machine's start and its; absent if it ended at once. */
  readonly startTicks?: string;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
  /** Milliseconds since 1970; present once it has ended. */
  readonly finishedAt?: number;
  /** Exit code, 128 + signal for a signal. */
  readonly exitCode?: number;
  /** Reason of the end. */
  readonly reason?: string;
  /** Details of the end. */
  readonly message?: string;
}

/** Name of the file of a sandbox, in its folder. */
export const SANDBOX_RECORD = 'sandbox.json';

/** Names of files in the folder of a container. */
export const CONTAINER_FILES = {
  record: 'container.json',
  progress: 'progress.json',
  control: 'control',
  info: 'info.json',
  supervisorLog: 'supervisor.log',
  root: 'root',
} as const;
