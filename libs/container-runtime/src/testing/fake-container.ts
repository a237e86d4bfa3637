import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '@orch/runtime/clock';
import type { ContainerState, CreateContainerRequest, ListedContainer, RuntimeContainerStatus } from '../containers.js';
import { exitReason } from '../exit-reason.js';
import { type LogStream, logTime } from '../logs/log-lines.js';
import type { LinuxResources } from '../resources.js';
import { RuntimeError } from '../runtime-error.js';
import type { FakeProgram } from './fake-program.js';

const KILLED = 137;
const NOT_STARTED = 128;

/** Surroundings of a container of the double. */
interface FakeContainerContext {
  readonly clock: Clock;
  /** Returns a time that is later than all before. */
  readonly time: () => number;
  readonly imageRef: string;
  readonly program: FakeProgram;
  /** Receives each change of state. */
  readonly changed: (type: 'started' | 'stopped') => void;
}

/** A container of the double: created → running → exited. */
export class FakeContainer {
  /** Limits that were set last. */
  resources: LinuxResources | undefined;
  readonly #createdAt: number;
  #state: ContainerState = 'created';
  #startedAt: number | undefined;
  #finishedAt: number | undefined;
  #exitCode = 0;
  #reason = '';
  #message = '';
  #cancel: () => void = () => undefined;
  readonly #ended: (() => void)[] = [];
  readonly #listeners = new Set<(stream: LogStream, text: string) => void>();

  constructor(
    readonly id: string,
    readonly request: CreateContainerRequest,
    private readonly context: FakeContainerContext,
  ) {
    this.#createdAt = context.time();
    this.resources = request.config.resources;
  }

  /** State now. */
  get state(): ContainerState {
    return this.#state;
  }

  /** Behaviour of its program. */
  get program(): FakeProgram {
    return this.context.program;
  }

  /** Exit code; meaningful after the end. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Starts the program. @throws RuntimeError if it was started before or cannot be started */
  async start(): Promise<void> {
    if (this.#state !== 'created')
      throw new RuntimeError('FailedPrecondition', `container ${this.id} is in state ${this.#state}`);
    const { startDelay = 0, startFailure, exitAfter, exitCode, oomKilled } = this.program;
    if (startDelay > 0) await new Promise<void>((resolve) => this.context.clock.after(startDelay, resolve));
    this.#startedAt = this.context.time();
    if (startFailure !== undefined) {
      this.#end(NOT_STARTED, 'StartError', startFailure);
      throw new RuntimeError('Unknown', startFailure);
    }
    this.#state = 'running';
    this.context.changed('started');
    for (const { stream, text, partial } of this.program.output ?? []) this.print(stream, text, partial ? 'P' : 'F');
    if (exitAfter !== undefined)
      this.#cancel = this.context.clock.after(exitAfter, () =>
        this.exit(oomKilled === true ? KILLED : (exitCode ?? 0), oomKilled),
      );
  }

  /** Ends the program, if it runs. */
  exit(exitCode: number, oomKilled = false): void {
    if (this.#state === 'running') this.#end(exitCode, exitReason(exitCode, oomKilled));
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. Resolves after the end. @param grace seconds */
  stop(grace: number): Promise<void> {
    if (this.#state !== 'running') return Promise.resolve();
    const { stopDelay = 0, stopCode = 143 } = this.program;
    const graceMs = grace * 1000;
    if (grace <= 0) this.exit(KILLED);
    else if (stopDelay === 0) this.exit(stopCode);
    else
      this.context.clock.after(Math.min(stopDelay, graceMs), () => this.exit(stopDelay <= graceMs ? stopCode : KILLED));
    return this.ended();
  }

  /** Resolves after the end. */
  ended(): Promise<void> {
    return this.#state === 'exited' ? Promise.resolve() : new Promise((resolve) => this.#ended.push(resolve));
  }

  /** Writes a line into the log, if the folder of the log exists, and to the attached. */
  print(stream: LogStream, text: string, tag: 'F' | 'P' = 'F'): void {
    for (const listener of this.#listeners) listener(stream, `${text}\n`);
    if (existsSync(dirname(this.logPath)))
      appendFileSync(this.logPath, `${logTime(this.context.time())} ${stream} ${tag} ${text}\n`);
  }

  /** Passes on what it prints from now on; returns a function that ends this. */
  listen(listener: (stream: LogStream, text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Absolute path of its log. */
  get logPath(): string {
    return join(this.request.sandboxConfig.logDirectory, this.request.config.logPath);
  }

  /** Returns it as in lists. */
  listed(): ListedContainer {
    const { sandboxId, config } = this.request;
    const { metadata, image, labels, annotations } = config;
    const { imageRef } = this.context;
    const [state, createdAt] = [this.#state, this.#createdAt];
    return { id: this.id, sandboxId, metadata, image, imageRef, state, createdAt, labels, annotations };
  }

  /** Returns its state and outcome. */
  status(): RuntimeContainerStatus {
    const { sandboxId: _, ...listed } = this.listed();
    return {
      ...listed,
      ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
      ...(this.#finishedAt !== undefined && { finishedAt: this.#finishedAt }),
      exitCode: this.#exitCode,
      reason: this.#reason,
      message: this.#message,
      mounts: this.request.config.mounts ?? [],
      logPath: this.logPath,
      ...(this.resources && { resources: this.resources }),
    };
  }

  #end(exitCode: number, reason: string, message = ''): void {
    this.#cancel();
    this.#state = 'exited';
    this.#finishedAt = this.context.time();
    this.#exitCode = exitCode;
    this.#reason = reason;
    this.#message = message;
    this.context.changed('stopped');
    for (const resolve of this.#ended.splice(0)) resolve();
  }
}
