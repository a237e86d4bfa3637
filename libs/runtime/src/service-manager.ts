import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, sleep, systemClock } from './clock.js';
import { type Logger, silentLogger } from './logging/logger.js';

/** Sends one message of `NAME=value` lines to a service manager; rejects when it does not arrive. */
export type NotifySender = (socket: string, lines: readonly string[]) => Promise<void>;

/** Dependencies of a {@link ServiceManager}; all have defaults. */
export interface ServiceManagerSettings {
  /** Logs once that messages do not arrive. Default: none. */
  readonly logger?: Logger;
  /** Times the watchdog's messages. Default: the system's. */
  readonly clock?: Clock;
  /** Default: {@link systemdNotify}. */
  readonly send?: NotifySender;
}

/** Milliseconds between two checks whether a started process is ready. */
const LOOK_MS = 100;

/**
 * The service manager that has started this process and wants to be notified of its state: systemd, with `Type=notify`
 * (sd_notify(3)). Messages arrive in the order in which they are sent; a failed one is logged and has no other effect.
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
   * Reads the service manager's variables from the environment and removes them, as they are not meant for child
   * processes. Undefined when there is none to notify. One with a watchdog is notified from then on that the event loop
   * works.
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

  /** Sends a status line for people. */
  status(text: string): Promise<void> {
    return this.#tell(statusLine(text));
  }

  /** Notifies that the process is ready, once it is, unless a shutdown begins first. */
  async readyOnce(isReady: () => Promise<boolean>, text: string, stopping: AbortSignal): Promise<void> {
    while (!(await isReady())) {
      await sleep(this.#clock, LOOK_MS, stopping);
      if (stopping.aborted) return;
    }
    await this.#tell('READY=1', statusLine(text));
  }

  /** Notifies that the shutdown has begun. */
  stopping(): Promise<void> {
    return this.#tell('STOPPING=1', statusLine('Shutting down'));
  }

  #tell(...lines: string[]): Promise<void> {
    this.#sent = this.#sent.then(() => this.#send(this.#socket, lines)).catch((error) => this.#fail(error));
    return this.#sent;
  }

  /** Sends watchdog messages from a timer of the event loop: when that is blocked, none are sent. */
  #keepAlive(pause: number): void {
    void this.#tell('WATCHDOG=1').then(() => this.#clock.after(pause, () => this.#keepAlive(pause)));
  }

  #fail(error: unknown): void {
    if (!this.#failed) this.#logger.error('the service manager could not be notified', error);
    this.#failed = true;
  }
}

const statusLine = (text: string): string => `STATUS=${text.replaceAll('\n', ' ')}`;

/**
 * Sends with the program `systemd-notify`, as Node has no sockets of that kind. It waits until the manager has received
 * the message, which could not tell the service of a sender that is gone.
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
