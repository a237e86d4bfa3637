import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ContainerConfig, RuntimeContainerStatus } from '../containers.js';
import type { Runtime } from '../runtime.js';
import type { SandboxConfig } from '../sandboxes.js';

/** A runtime on which the contract is tried. */
export interface RuntimeUnderTest {
  /** The runtime, ready. */
  readonly runtime: Runtime;
  /** Name with tag of an image on the node with busybox in its PATH; its own command is `sh -c 'echo default'`, its environment has `FROM_IMAGE=yes`. */
  readonly image: string;
  /** Cgroup below which sandboxes have theirs; absent: they are given none. */
  readonly cgroup?: string;
  /** Connects once more: the new runtime has the state of the old one. */
  reconnect(): Promise<Runtime>;
  /** Ends the runtime and removes what it has left. */
  stop(): Promise<void>;
}

/** Capabilities that not every runtime has. */
export interface RuntimeTraits {
  /** Whether sandboxes have a network, and so an address, of their own. */
  readonly hasNetwork: boolean;
  /** Whether containers have files, processes and users of their own, and so settings of these can be tried. */
  readonly isolates: boolean;
  /** Whether output of programs arrives in logs, and volumes and environment in programs. */
  readonly executes: boolean;
}

/** Makes a runtime for the contract. @param dir folder for its state, logs and volumes */
export type MakeRuntime = (dir: string) => Promise<RuntimeUnderTest>;

/** Commands that the contract's containers run; a double imitates them. */
export const COMMANDS = {
  /** Runs until SIGTERM, and ends with 7. */
  runs: ['sh', '-c', 'trap "exit 7" TERM; sleep 1000 & wait'],
  /** Ignores SIGTERM. */
  ignores: ['sh', '-c', 'trap "" TERM; echo ready; sleep 1000 & wait'],
  /** Prints lines on both streams, one of them incomplete, and ends with 3. */
  prints: ['sh', '-c', 'echo out; echo err >&2; printf rest; exit 3'],
  /** Succeeds at once. */
  succeeds: ['true'],
  /** Cannot be started. */
  missing: ['/no/such/program'],
  /** Copies standard input to standard output. */
  echoes: ['cat'],
} as const satisfies Record<string, readonly string[]>;

/** A runtime with what its tests share. */
export class Rig {
  #under: RuntimeUnderTest | undefined;
  #dir = '';
  #count = 0;

  /** Starts the runtime before the tests of a suite, and ends it after them. */
  constructor(
    make: MakeRuntime,
    readonly traits: RuntimeTraits,
  ) {
    beforeAll(async () => {
      this.#dir = mkdtempSync(join(tmpdir(), 'orch-runtime-'));
      this.#under = await make(this.#dir);
    });
    afterAll(async () => {
      await this.#under?.runtime.close();
      await this.#under?.stop();
      rmSync(this.#dir, { recursive: true, force: true });
    });
  }

  /** What is tried. */
  get under(): RuntimeUnderTest {
    if (!this.#under) throw new Error('the runtime is made before all tests');
    return this.#under;
  }

  /** The runtime that is tried. */
  get runtime(): Runtime {
    return this.under.runtime;
  }

  /** Makes a folder on the node. */
  folder(name: string): string {
    const path = join(this.#dir, `${name}-${++this.#count}`);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Starts a sandbox for a pod of its own. */
  async sandbox(more: Partial<SandboxConfig> = {}): Promise<RigSandbox> {
    const uid = `uid-${++this.#count}`;
    const { cgroup } = this.under;
    const config: SandboxConfig = {
      metadata: { name: `pod-${this.#count}`, uid, namespace: 'default', attempt: 0 },
      hostname: `pod-${this.#count}`,
      logDirectory: this.folder('logs'),
      labels: { 'io.kubernetes.pod.uid': uid },
      annotations: { note: 'kept' },
      ...(cgroup !== undefined && { cgroupParent: `${cgroup}/${uid}` }),
      security: { namespaces: { network: this.traits.hasNetwork ? 'pod' : 'node', pid: 'container', ipc: 'pod' } },
      ...more,
    };
    return new RigSandbox(this.under, await this.runtime.runSandbox(config), config);
  }
}

/** A sandbox of the contract's tests. */
export class RigSandbox {
  constructor(
    private readonly under: RuntimeUnderTest,
    readonly id: string,
    readonly config: SandboxConfig,
  ) {}

  /** Creates a container; resolves with its id. */
  async create(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
    const name = more.metadata?.name ?? 'c';
    mkdirSync(join(this.config.logDirectory, name), { recursive: true });
    const image = await this.under.runtime.imageStatus(this.under.image);
    const config: ContainerConfig = {
      metadata: { name, attempt: 0 },
      image: image?.id ?? '',
      command,
      labels: { 'io.kubernetes.container.name': name, 'io.kubernetes.pod.uid': this.config.metadata.uid },
      annotations: { hash: 'abc' },
      logPath: `${name}/0.log`,
      security: { namespaces: this.config.security.namespaces },
      ...more,
    };
    return this.under.runtime.createContainer({ sandboxId: this.id, config, sandboxConfig: this.config });
  }

  /** Creates and starts a container; resolves with its id. */
  async start(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
    const id = await this.create(command, more);
    await this.under.runtime.startContainer(id);
    return id;
  }

  /** Waits for a container's end. */
  async ended(id: string): Promise<RuntimeContainerStatus> {
    await expect.poll(async () => (await this.under.runtime.containerStatus(id)).state).toBe('exited');
    return this.under.runtime.containerStatus(id);
  }
}
