import type { Hook } from './hook.js';
import { OutstandingCalls } from './outstanding-calls.js';

/** The calls of each webhook that are out, as long as its place stays the same. */
export class CallsByWebhook {
  readonly #calls = new Map<string, OutstandingCalls>();
  /** The bundle of an authority is long, and this is asked for with every call. */
  readonly #keys = new WeakMap<Hook, string>();

  /** @param mostHanging calls of one webhook that may hang; 0 for no bound */
  constructor(private readonly mostHanging: number) {}

  of(hook: Hook): OutstandingCalls {
    const key = this.#keyOf(hook);
    const known = this.#calls.get(key) ?? new OutstandingCalls(this.mostHanging);
    this.#calls.set(key, known);
    return known;
  }

  /** Forgets all others. */
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
