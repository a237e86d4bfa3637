import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A value and how long it may be used. */
export interface Kept<V> {
  /** As it was found. */
  readonly value: V;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Where processes of an installation keep verdicts for each other. Neither call ever fails: what cannot be had is not there. */
export interface SharedVerdicts {
  /** What was kept of these parts and whose time is not over. */
  get(parts: readonly string[]): Promise<Kept<unknown> | undefined>;
  /** Keeps it until its time is over. */
  set(parts: readonly string[], kept: Kept<unknown>): Promise<void>;
}

/** What is seen of a cache. */
export interface VerdictObserver {
  /** Someone asks. @returns to be called when it is answered, with whether it was here */
  asked(): (hit: boolean) => void;
  /** Someone waits for a verdict that is being found. @returns to be called when that is over */
  waits(): () => void;
  /** A verdict is being found. @returns to be called with whether it was */
  finding(): (found: boolean) => void;
}

/** How verdicts are kept. */
export interface VerdictCacheSettings<V> {
  /** How long a verdict is kept, ms; 0 for not at all. */
  readonly keptFor: (verdict: V) => number;
  /** Verdicts that are kept, at most. Default 32,768. */
  readonly most?: number;
  /** Asked for what is not here, and told what is found. */
  readonly shared?: SharedVerdicts;
  /** Whether others are told of a verdict. Default: of each. */
  readonly tells?: (verdict: V) => boolean;
  /** Makes a verdict of what another process has shared; undefined for what is none. Needed with `shared`. */
  readonly read?: (value: unknown) => V | undefined;
  /** Told of everyone who asks. Default: nobody is. */
  readonly observer?: VerdictObserver;
  /** Milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

const done = () => undefined;

/**
 * Keeps verdicts for a time, and finds each once for all who ask for it meanwhile. What is asked about may be secret: it is known
 * here only by a digest under a key that this process alone has. A failure is not kept.
 */
export class VerdictCache<V> {
  readonly #key = randomBytes(32).toString('base64');
  readonly #kept: LRUCache<string, Kept<V>>;
  readonly #sought = new Map<string, Promise<Kept<V>>>();

  constructor(private readonly settings: VerdictCacheSettings<V>) {
    this.#kept = new LRUCache({ max: settings.most ?? 32_768 });
  }

  /**
   * The verdict on what `parts` say together.
   * @param find finds it where it is not known
   * @throws what `find` throws
   */
  async of(parts: readonly string[], find: () => Promise<V>): Promise<V> {
    return (await this.known(parts, find)).value;
  }

  /** The same, with until when it is known: one that is not kept, until now. @throws what `find` throws */
  async known(parts: readonly string[], find: () => Promise<V>): Promise<Kept<V>> {
    const { observer, now = Date.now } = this.settings;
    const answered = observer?.asked() ?? done;
    const digest = hash('sha256', this.#key + textOf(parts), 'base64');
    const kept = this.#kept.get(digest);
    if (kept && now() < kept.until) {
      answered(true);
      return kept;
    }
    const waited = observer?.waits() ?? done;
    try {
      return await this.#once(digest, parts, find);
    } finally {
      waited();
      answered(false);
    }
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#kept.clear();
  }

  #once(digest: string, parts: readonly string[], find: () => Promise<V>): Promise<Kept<V>> {
    const sought = this.#sought.get(digest);
    if (sought) return sought;
    const found = this.#seek(digest, parts, find).finally(() => this.#sought.delete(digest));
    this.#sought.set(digest, found);
    return found;
  }

  async #seek(digest: string, parts: readonly string[], find: () => Promise<V>): Promise<Kept<V>> {
    const known = await this.#fromOthers(parts);
    if (known) {
      this.#kept.set(digest, known);
      return known;
    }
    const value = await this.#found(find);
    const { keptFor, shared, tells = () => true, now = Date.now } = this.settings;
    const time = keptFor(value);
    const kept = { value, until: now() + time };
    if (time > 0) {
      this.#kept.set(digest, kept);
      // Nobody waits for it.
      if (tells(value)) void shared?.set(parts, kept);
    }
    return kept;
  }

  async #found(find: () => Promise<V>): Promise<V> {
    const over = this.settings.observer?.finding() ?? done;
    try {
      const value = await find();
      over(true);
      return value;
    } catch (error) {
      over(false);
      throw error;
    }
  }

  async #fromOthers(parts: readonly string[]): Promise<Kept<V> | undefined> {
    const { shared, read, keptFor, now = Date.now } = this.settings;
    const kept = await shared?.get(parts);
    const value = kept && read?.(kept.value);
    if (!kept || value === undefined) return undefined;
    // Others may keep verdicts longer than this process is told to.
    const until = Math.min(kept.until, now() + keptFor(value));
    return now() < until ? { value, until } : undefined;
  }
}

/** A text of parts that no other parts have, whatever stands in them: also as UTF-8, where half a character would be another. */
export const textOf = (parts: readonly string[]): string => JSON.stringify(parts);
