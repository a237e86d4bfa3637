import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, cleanPath, readKubeconfig, Transport } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { AuditSink } from '../backends/backend.js';
import type { EventRecord } from '../events/event.js';

/** A server that receives events. */
interface WebhookSettings {
  /** A kubeconfig with its address and credentials. */
  readonly configFile: string;
  /** Naming profile of the event lists, and of the kubeconfig. */
  readonly names: Names;
  /** Milliseconds before the second try; further waits are half as long again each. */
  readonly initialBackoffMs: number;
}

/** Number of tries in the reference (`DefaultRetryBackoffWithInitialDelay`). */
const TRIES = 5;
const FACTOR = 1.5;
const JITTER = 0.2;
const TIMEOUT_MS = 30_000;
/** Bytes of an answer that are read; it is ignored. */
const ANSWER_BYTES = 64 << 10;

/** Sends events to another server as an EventList, with retries. */
export class WebhookSink implements AuditSink {
  readonly name = 'webhook';
  readonly #transport: Transport;
  readonly #path: string;
  readonly #head: string;
  readonly #stop = new AbortController();

  private constructor(
    connection: Connection,
    private readonly settings: WebhookSettings,
  ) {
    const { origin, pathname } = new URL(connection.server);
    const limits = { timeoutMs: TIMEOUT_MS, maxRetries: 0, maxAnswerBytes: ANSWER_BYTES };
    this.#transport = new Transport({ ...connection, server: origin }, { userAgent: 'orch-audit', ...limits });
    this.#path = cleanPath(pathname);
    this.#head = `{"kind":"EventList","apiVersion":${JSON.stringify(`${settings.names.group('audit.orch.io')}/v1`)},"metadata":{},"items":[`;
  }

  /** @throws KubeconfigError */
  static async open(settings: WebhookSettings): Promise<WebhookSink> {
    const { configFile, names } = settings;
    return new WebhookSink(await readKubeconfig(configFile, { names }), settings);
  }

  async write(events: readonly EventRecord[]): Promise<void> {
    const body = `${this.#head}${events.map(({ json }) => json).join(',')}]}`;
    const { signal } = this.#stop;
    let wait = this.settings.initialBackoffMs;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#transport.request('POST', this.#path, {
          headers: { 'content-type': 'application/json' },
          body,
          signal,
        });
        return;
      } catch (error) {
        if (attempt >= TRIES || signal.aborted) throw error;
      }
      await pause(wait * (1 + Math.random() * JITTER), undefined, { signal });
      wait *= FACTOR;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the process ends'));
    await this.#transport.close();
  }
}
