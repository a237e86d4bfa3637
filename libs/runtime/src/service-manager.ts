import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, sleep, systemClock } from './clock.js';
import { type Logger, silentLogger } from './logging/logger.js';

/** Sends one message of `NAME=value` lines to a service manager; rejects when it does not get there. */
export type NotifySender = (socket: string, lines: readonly string[]) => Promise<void>;

/** What a {@link ServiceManager} works with; everything has a default. */
export interface ServiceManagerSettings {
  /** Hears once that messages do not get there. Default: nobody. */
  readonly logger?: Logger;
  /** Times the signs of life. Default: the machine's. */
  readonly clock?: Clock;
  /** Default: {@link systemdNotify}. */
  readonly send?: NotifySender;
}

/** Milliseconds between two looks at whether a process that has started is ready. */
const LOOK_MS = 100;

/**
 * The service manager that has started this process and wants to be told how it is: systemd, with `Type=notify` (sd_notify(3)).
 * Messages arrive in the order in which they are sent; one that fails is logged and changes nothing.
 */
export class ServiceManager {
  readonly #socket: string;
  readonly #send: NotifySender;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #sent: Promise<void> = Promise.resolve();
  #failed = false;

  private constructor(
    socket: string,
    { logger = silentLogger, clock = systemClock, send = systemdNotify }: ServiceManagerSettings,
  ) {
    this.#socket = socket;
    this.#send = send;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Takes what the variables of a process say of its service manager, out of them: it is not meant for children. Undefined where none
   * wants to be told. One that watches over the process hears from then on that its event loop works.
   */
  static take(env: NodeJS.ProcessEnv, settings: ServiceManagerSettings = {}): ServiceManager | undefined {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: period, WATCHDOG_PID: watched } = env;
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
    if (socket === undefined || socket === '') return undefined;
    const manager = new ServiceManager(socket, settings);
    const isWatched = watched === undefined || Number(watched) === process.pid;
    if (isWatched && Number(period) > 0) manager.#keepAlive(Number(period) / 1000 / 2);
    return manager;
  }

  /** Says in a line, for people, what the process does. */
  status(text: string): Promise<void> {
    return this.#tell(statusLine(text));
  }

  /** Says that the process is ready, once it is, unless it is told to end before. */
  async readyOnce(isReady: () => Promise<boolean>, text: string, stopping: AbortSignal): Promise<void> {
    while (!(await isReady())) {
      await sleep(this.#clock, LOOK_MS, stopping);
      if (stopping.aborted) return;
    }
    await this.#tell('READY=1', statusLine(text));
  }

  /** Says that the process has begun to end. */
  stopping(): Promise<void> {
    return this.#tell('STOPPING=1', statusLine('Shutting down'));
  }

  #tell(...lines: string[]): Promise<void> {
    this.#sent = this.#sent.then(() => this.#send(this.#socket, lines)).catch((error) => this.#fail(error));
    return this.#sent;
  }

  /** A timer of the event loop: where that stands still, nothing is sent. */
  #keepAlive(pause: number): void {
    void this.#tell('WATCHDOG=1').then(() => this.#clock.after(pause, () => this.#keepAlive(pause)));
  }

  #fail(error: unknown): void {
    if (!this.#failed) this.#logger.error('the service manager cannot be told how this process is', error);
    this.#failed = true;
  }
}

const statusLine = (text: string): string => `STATUS=${text.replaceAll('\n', ' ')}`;

/**
 * Sends by the program `systemd-notify`, as Node has no sockets of that kind. It waits until the manager has taken the message, which
 * else would find its sender gone and not know of which service it was.
 */
export async function systemdNotify(socket: string, lines: readonly string[]): Promise<void> {
  const child = spawn('systemd-notify', [...lines], {
    env: { PATH: process.env.PATH, NOTIFY_SOCKET: socket },
    stdio: 'ignore',
  });
  child.unref();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`systemd-notify ended with ${code}`);
}
