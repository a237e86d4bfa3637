import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

interface Outcome {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

type Methods = Record<string, (argument: never) => unknown>;

/** A process of its own whose methods are called over IPC: load must not run in the process that measures. */
export class Worker<M extends Methods> {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #calls = 0;

  /** `module` calls {@link serve}. */
  constructor(module: URL) {
    this.#child = fork(fileURLToPath(module), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', (message) => this.#settle(message as Outcome));
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#open.values()) reject(new Error(`${module} ended: ${signal ?? code}`));
    });
  }

  call<K extends keyof M & string>(method: K, argument: Parameters<M[K]>[0]): Promise<Awaited<ReturnType<M[K]>>> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve: (value) => resolve(value as Awaited<ReturnType<M[K]>>), reject });
      this.#child.send({ id, method, argument } satisfies Call);
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Lets the process have a core sooner (down to -20) or later (up to 19) than others that want one. Only root can make it sooner. */
  nice(value: number): void {
    setPriority(this.pid, value);
  }

  stop(): void {
    this.#open.clear();
    this.#child.kill();
  }

  #settle({ id, value, error }: Outcome): void {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

/** The other side: answers calls with the given methods until the parent goes away. */
export function serve(methods: Methods): void {
  const answer = (outcome: Outcome) => process.send?.(outcome);
  process.on('message', (message) => {
    const { id, method, argument } = message as Call;
    Promise.resolve(methods[method]?.(argument as never)).then(
      (value) => answer({ id, value }),
      (error: unknown) =>
        answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
