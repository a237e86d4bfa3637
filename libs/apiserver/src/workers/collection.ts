import type { WorkerMetrics } from '../metrics/merge-metrics.js';
import type { FromWorker, ToWorker } from './messages.js';

/** Longest wait for the slowest worker, ms: one that hangs must not hide the metrics of the others. */
const WAIT_MS = 2_000;

/** A worker as the parent speaks to it. */
export interface Peer {
  /** Place of the worker, from 1. */
  readonly place: number;
  /** Sends a message to the worker; does nothing once it is disconnected. */
  send(message: ToWorker): void;
}

/** Gathers the metrics of all workers, in the parent. */
export class MetricsCollection {
  readonly #open = new Map<number, (page: WorkerMetrics) => void>();
  #lastId = 0;

  /** `peers`: returns the workers that run at the time. */
  constructor(private readonly peers: () => readonly Peer[]) {}

  /** Handles a worker's message about metrics. */
  receive(from: Peer, message: FromWorker): void {
    if (message.about === 'collect') {
      void this.#collect().then((pages) => from.send({ about: 'collected', id: message.id, pages }));
    } else if (message.about === 'metrics') {
      this.#open.get(message.id)?.({ worker: from.place, body: message.body });
    }
  }

  /** Returns the pages, in the order of places, of the workers that answer in time. */
  async #collect(): Promise<readonly WorkerMetrics[]> {
    const id = ++this.#lastId;
    const peers = this.peers();
    const pages: WorkerMetrics[] = [];
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
      this.#open.set(id, (page) => {
        pages.push(page);
        if (pages.length === peers.length) resolve();
      });
      for (const peer of peers) peer.send({ about: 'metrics-wanted', id });
    });
    clearTimeout(timer);
    this.#open.delete(id);
    return pages.sort((a, b) => a.worker - b.worker);
  }
}
