import { Breaker, type BreakerSettings } from './breaker.js';
import type { Hook } from './hook.js';

/** What is remembered of each webhook, as long as its place stays the same. */
export class Breakers {
  #breakers = new Map<string, Breaker>();
  /** The bundle of an authority is long, and this is asked for with every call. */
  readonly #keys = new WeakMap<Hook, string>();

  constructor(private readonly settings: BreakerSettings) {}

  of(hook: Hook): Breaker {
    const key = this.#keyOf(hook);
    const known = this.#breakers.get(key) ?? new Breaker(this.settings);
    this.#breakers.set(key, known);
    return known;
  }

  /** Forgets all others. */
  keep(hooks: readonly Hook[]): void {
    const kept = new Set(hooks.map((hook) => this.#keyOf(hook)));
    for (const key of this.#breakers.keys()) if (!kept.has(key)) this.#breakers.delete(key);
  }

  #keyOf(hook: Hook): string {
    const key = this.#keys.get(hook) ?? `${hook.id} ${JSON.stringify(hook.clientConfig)}`;
    this.#keys.set(hook, key);
    return key;
  }
}
