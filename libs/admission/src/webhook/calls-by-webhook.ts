import type { Hook } from './hook.js';
import { OutstandingCalls } from './outstanding-calls.js';

/** The open calls of each webhook, kept as long as its address does not change. */
export class CallsByWebhook {
  readonly #calls = new Map<string, OutstandingCalls>();
  /** Cached keys: they contain the authorities' certificates, which are long, and are needed for every call. */
  readonly #keys = new WeakMap<Hook, string>();

  /** @param mostHanging calls of one webhook that may hang; 0 for no bound */
  constructor(private readonly mostHanging: number) {}

  /** Returns the open calls of a webhook. */
  of(hook: Hook): OutstandingCalls {
    const key = this.#keyOf(hook);
    const known = this.#calls.get(key) ?? new OutstandingCalls(this.mostHanging);
    this.#calls.set(key, known);
    return known;
  }

  /** Drops the state of all other webhooks. */
  keep(hooks: readonly Hook[]): void {
    const kept = new Set(hooks.map((hook) => this.#keyOf(hook)));
    for (const key of this.#calls.keys()) if (!kept.has(key)) this.#calls.delete(key);
  }

  #keyOf(hook: Hook): string {
    const key = this.#keys.get(hook) ?? `${hook.id} ${JSON.stringify(hook.clientConfig)}`;
    this.#keys.set(hook, key);
    return key;
  }
}
