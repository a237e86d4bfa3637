import { Breaker, type BreakerSettings } from './breaker.js';
import type { Hook } from './hook.js';

/** What is remembered of each webhook, as long as its place stays the same. */
export class Breakers {
  #breakers = new Map<string, Breaker>();

  constructor(private readonly settings: BreakerSettings) {}

  of(hook: Hook): Breaker {
    const key = keyOf(hook);
    const known = this.#breakers.get(key) ?? new Breaker(this.settings);
    this.#breakers.set(key, known);
    return known;
  }

  /** Forgets all others. */
  keep(hooks: readonly Hook[]): void {
    const kept = new Set(hooks.map(keyOf));
    for (const key of this.#breakers.keys()) if (!kept.has(key)) this.#breakers.delete(key);
  }
}

const keyOf = ({ id, clientConfig }: Hook): string => `${id} ${JSON.stringify(clientConfig)}`;
