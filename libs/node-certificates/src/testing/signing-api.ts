import { ApiError, type WatchEvent } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type { RequestClient } from '../request-certificate.js';
import { createTestAuthority, signRequest } from './signer.js';

/** A request as the API keeps it. */
interface Kept extends ApiObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly request: string; readonly signerName: string; readonly usages: readonly string[] };
  status?: object;
}

/** The part of the API that keeps certificate requests, in memory; tests decide about them. */
export class SigningApi {
  /** Requests that are there, by name. */
  readonly requests = new Map<string, Kept>();
  /** Number of requests ever made. */
  made = 0;
  /** Whether each watch expires at once. */
  forgets = false;
  /** Number of watches ever begun. */
  watches = 0;
  /** Thrown by the next calls. */
  failure: Error | undefined;
  readonly #authority = createTestAuthority();
  readonly #watchers = new Set<(event: WatchEvent<Kept>) => void>();
  #version = 1;

  /** The calls of a client. */
  readonly client = {
    create: async (_ref: unknown, object: Kept) => {
      if (this.failure) throw this.failure;
      if (this.requests.has(object.metadata.name)) throw refusal(409, 'AlreadyExists');
      this.made++;
      return this.#keep({ ...object, metadata: { name: object.metadata.name, resourceVersion: '' } }, 'ADDED');
    },
    get: async (_ref: unknown, name: string) => {
      const found = this.requests.get(name);
      if (!found) throw refusal(404, 'NotFound');
      return found;
    },
    watch: (_ref: unknown, _start: unknown, options: { signal: AbortSignal }) => this.#watch(options.signal),
  } as unknown as RequestClient;

  /** The only request. */
  get only(): Kept {
    const [request] = this.requests.values();
    if (!request || this.requests.size !== 1) throw new Error(`${this.requests.size} requests`);
    return request;
  }

  /** Issues the certificate of the only request. @param lifetimeMs from `now` on */
  async issue(lifetimeMs: number, now: number): Promise<void> {
    const { only } = this;
    const cert = await signRequest(await this.#authority, only.spec, lifetimeMs, now);
    const status = {
      conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }],
      certificate: Buffer.from(cert).toString('base64'),
    };
    this.#keep({ ...only, status }, 'MODIFIED');
  }

  /** Denies the only request. */
  deny(): void {
    const conditions = [{ type: 'Denied', status: 'True', reason: 'Test', message: 'not you' }];
    this.#keep({ ...this.only, status: { conditions } }, 'MODIFIED');
  }

  /** Deletes all requests. */
  clean(): void {
    for (const request of [...this.requests.values()]) {
      this.requests.delete(request.metadata.name);
      for (const watcher of this.#watchers) watcher({ type: 'DELETED', object: request });
    }
  }

  #keep(object: Kept, type: 'ADDED' | 'MODIFIED'): Kept {
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version++) } };
    this.requests.set(kept.metadata.name, kept);
    for (const watcher of this.#watchers) watcher({ type, object: kept });
    return kept;
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<WatchEvent<Kept>, void> {
    this.watches++;
    if (this.forgets) throw refusal(410, 'Expired');
    const pending: WatchEvent<Kept>[] = [];
    let wake = () => {};
    const watcher = (event: WatchEvent<Kept>) => {
      pending.push(event);
      wake();
    };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const next = pending.shift();
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

const refusal = (code: number, reason: 'AlreadyExists' | 'NotFound' | 'Expired'): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code, message: reason });
