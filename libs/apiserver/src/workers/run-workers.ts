import cluster, { type Worker } from 'node:cluster';
import type { MetricsText } from '@orch/discovery';
import { type Logger, type ProcessControl, type ServiceManager, systemClock } from '@orch/runtime';
import { mergeMetrics, type WorkerMetrics } from '../metrics/merge-metrics.js';
import { MetricsCollection, type Peer } from './collection.js';
import type { FromWorker, ToWorker } from './messages.js';
import { SilenceWatch } from './silence-watch.js';
import { Supervisor, type WorkerEvents, type WorkerProcess } from './supervisor.js';

/** Milliseconds between the signs of life of a worker. */
const ALIVE_MS = 1_000;
/** Milliseconds that a worker has at least until its first sign of life: on a busy machine its modules load slowly. */
const STARTING_MS = 60_000;

/** Whether this process is the parent, which serves nothing itself. */
export const isParent = (): boolean => cluster.isPrimary;

/**
 * Starts `count` processes with the same command line, which share its ports, and supervises them until all have ended.
 * A worker that sends no message for `silenceMs` is killed and replaced; 0 waits for ever. The service
 * manager, if there is one, is notified of readiness when all workers serve.
 */
export async function superviseWorkers(
  count: number,
  silenceMs: number,
  logger: Logger,
  manager: ServiceManager | undefined,
): Promise<number> {
  let lines: readonly string[] = [];
  const fork = forking({ silenceMs, logger, onLines: (handler) => (lines = handler) });
  const ending = new AbortController();
  const onReady = () => {
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    void manager?.readyOnce(async () => true, `Serving with ${count} workers`, ending.signal);
  };
  const supervisor = new Supervisor({ count, fork, clock: systemClock, logger, onReady });
  const stop = () => {
    if (!ending.signal.aborted) void manager?.stopping();
    ending.abort();
    supervisor.stop();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  // Clock timers do not hold the process, and between two workers nothing else does.
  const hold = setInterval(() => {}, 60_000);
  supervisor.start();
  const code = await supervisor.finished;
  clearInterval(hold);
  process.off('SIGTERM', stop).off('SIGINT', stop);
  return code;
}

interface Forking {
  readonly silenceMs: number;
  readonly logger: Logger;
  /** Called with the lines that a worker that serves would print. */
  readonly onLines: (lines: readonly string[]) => void;
}

/** Starts workers, and handles their messages. */
function forking({ silenceMs, logger, onLines }: Forking): (place: number, events: WorkerEvents) => WorkerProcess {
  const peers = new Map<Worker, Peer>();
  const collection = new MetricsCollection(() => [...peers.values()]);
  return (place, events) => {
    const worker = cluster.fork();
    const peer: Peer = { place, send: (message) => void (worker.isConnected() && worker.send(message)) };
    const watch = silenceMs === 0 ? undefined : watchOver(worker, place, silenceMs, logger);
    worker.on('message', (message: FromWorker) => {
      watch?.messageReceived();
      if (message.about !== 'ready') return collection.receive(peer, message);
      peers.set(worker, peer);
      onLines(message.lines);
      events.onReady();
    });
    worker.on('disconnect', () => peers.delete(worker));
    worker.once('exit', (code, signal) => {
      peers.delete(worker);
      watch?.stop();
      events.onExit(signal === null ? code : 1);
    });
    worker.on('error', (error) => logger.error('worker failed', error, { worker: place }));
    return { kill: (signal) => void worker.process.kill(signal) };
  };
}

function watchOver(worker: Worker, place: number, timeoutMs: number, logger: Logger): SilenceWatch {
  const onSilent = () => {
    logger.warn('a worker does not respond and is killed', { worker: place, silentMs: timeoutMs });
    worker.process.kill('SIGKILL');
  };
  return new SilenceWatch({ clock: systemClock, timeoutMs, startMs: STARTING_MS, onSilent });
}

/** The side of a worker. */
export class WorkerLink {
  readonly #waiting = new Map<number, (pages: readonly WorkerMetrics[]) => void>();
  #own: MetricsText | undefined;
  #lastId = 0;

  constructor() {
    process.on('message', (message: ToWorker) => void this.#receive(message));
    const alive = () => this.#send({ about: 'alive' });
    alive();
    setInterval(alive, ALIVE_MS).unref();
  }

  /**
   * Signal handling of a worker: a terminal sends SIGINT to all processes, and the parent decides what follows from it.
   */
  readonly signals: ProcessControl = {
    on: (signal, listener) => process.on(signal, signal === 'SIGTERM' ? listener : () => {}),
    off: (signal, listener) => process.off(signal, listener),
    exit: (code) => process.exit(code),
  };

  /** Reports that this worker serves. `lines`: what a process of its own would print. */
  ready(lines: readonly string[]): void {
    this.#send({ about: 'ready', lines });
  }

  /** Returns the metrics page of this worker: that of all workers together, which every worker answers with. */
  shared(own: MetricsText): MetricsText {
    this.#own = own;
    return {
      text: async () => {
        const { contentType } = await own.text();
        const id = ++this.#lastId;
        const pages = await new Promise<readonly WorkerMetrics[]>((resolve) => {
          this.#waiting.set(id, resolve);
          this.#send({ about: 'collect', id });
        });
        return { contentType, body: mergeMetrics(pages) };
      },
    };
  }

  /** Disconnects from the parent, so that the process can end. */
  close(): void {
    cluster.worker?.disconnect();
  }

  async #receive(message: ToWorker): Promise<void> {
    if (message.about === 'metrics-wanted') {
      const page = await this.#own?.text();
      this.#send({ about: 'metrics', id: message.id, body: page?.body ?? '' });
    } else if (message.about === 'collected') {
      this.#waiting.get(message.id)?.(message.pages);
      this.#waiting.delete(message.id);
    }
  }

  #send(message: FromWorker): void {
    if (process.connected) process.send?.(message);
  }
}
