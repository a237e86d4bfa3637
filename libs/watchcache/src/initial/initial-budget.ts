import type { Clock } from '@orch/runtime/clock';
import { InitialBudgetError } from '../errors.js';

/** Limits of the bytes of initial states; 0 is no limit. */
export interface InitialLimits {
  /** Bound for all watches. */
  readonly together: number;
  /** Bound for the watches of one owner. */
  readonly perOwner: number;
}

/** A cached item that can be made again, kept as long as there is room. */
export interface Evictable {
  readonly bytes: number;
  /** Called when it is evicted. */
  drop(): void;
}

interface InitialBudgetOptions {
  readonly clock: Clock;
  readonly limits: InitialLimits;
  /** Milliseconds for which unused states are kept. */
  readonly keepFor: number;
}

/** Fraction of the total limit for cached items. */
const KEPT_PART = 1 / 4;
/** Bytes for them if there is no limit. */
const KEPT_BYTES = 64 << 20;
/** Milliseconds between looks for unused states. */
const SWEEP = 1_000;

/**
 * Bounds the memory of the initial states of all types. The memory that a watch needs while it reads is reserved, and
 * watches beyond the bounds are refused. State that can be made again is cached only: it is evicted for reservations,
 * and when unused for a while.
 */
export class InitialBudget {
  readonly #owners = new Map<string, number>();
  #reserved = 0;
  /** Monotonic ms of the last use, the least recently used first. */
  readonly #kept = new Map<Evictable, number>();
  #keptBytes = 0;
  #cancelSweep: (() => void) | undefined;

  constructor(private readonly options: InitialBudgetOptions) {}

  /** Bytes reserved or cached. */
  get bytes(): number {
    return this.#reserved + this.#keptBytes;
  }

  /**
   * Reserves bytes until they are given back. An owner with no reservation may exceed its bound as far as others leave
   * room, and so may the first of all: no type is too large to be watched.
   * @param owner undefined for those without a bound of their own
   * @param inAll the part of the bytes that is not reserved by others already; default all
   * @throws InitialBudgetError
   */
  reserve(owner: string | undefined, bytes: number, inAll = bytes): void {
    this.#refuseBeyond(owner, bytes, inAll);
    this.#add(owner, bytes, inAll);
    this.#makeRoom();
  }

  /** Whether an owner could reserve anything at all. @throws InitialBudgetError */
  check(owner: string | undefined): void {
    this.#refuseBeyond(owner, 0, 0);
  }

  /** Returns reserved bytes. */
  giveBack(owner: string | undefined, bytes: number, inAll = bytes): void {
    this.#add(owner, -bytes, -inAll);
  }

  /** Caches an item while there is room. @returns whether there is any now */
  keep(item: Evictable): boolean {
    this.#kept.set(item, this.options.clock.now());
    this.#keptBytes += item.bytes;
    this.#cancelSweep ??= this.options.clock.after(SWEEP, () => this.#sweep());
    this.#makeRoom();
    return this.#kept.has(item);
  }

  /** Marks a cached item as used. */
  use(item: Evictable): void {
    if (this.#kept.delete(item)) this.#kept.set(item, this.options.clock.now());
  }

  /** Evicts an item at once, if it is cached. */
  drop(item: Evictable): void {
    if (!this.#kept.delete(item)) return;
    this.#keptBytes -= item.bytes;
    if (this.#kept.size === 0) {
      this.#cancelSweep?.();
      this.#cancelSweep = undefined;
    }
    item.drop();
  }

  #refuseBeyond(owner: string | undefined, bytes: number, inAll: number): void {
    const { together, perOwner } = this.options.limits;
    const exceeds = (limit: number, held: number, more: number): boolean =>
      limit > 0 && held > 0 && (held >= limit || held + more > limit);
    if (exceeds(together, this.#reserved, inAll) || exceeds(perOwner, this.#of(owner), bytes)) {
      throw new InitialBudgetError('watches are reading as much of their initial state as they may');
    }
  }

  #of(owner: string | undefined): number {
    return owner === undefined ? 0 : (this.#owners.get(owner) ?? 0);
  }

  #add(owner: string | undefined, bytes: number, inAll: number): void {
    this.#reserved += inAll;
    if (owner === undefined) return;
    const own = this.#of(owner) + bytes;
    if (own > 0) this.#owners.set(owner, own);
    else this.#owners.delete(owner);
  }

  #makeRoom(): void {
    const { together } = this.options.limits;
    const room = together > 0 ? Math.min(together * KEPT_PART, together - this.#reserved) : KEPT_BYTES;
    for (const item of this.#kept.keys()) {
      if (this.#keptBytes <= room) break;
      this.drop(item);
    }
  }

  #sweep(): void {
    const { clock, keepFor } = this.options;
    const now = clock.now();
    for (const [item, usedAt] of this.#kept) {
      if (now - usedAt < keepFor) break;
      this.drop(item);
    }
    this.#cancelSweep = this.#kept.size === 0 ? undefined : clock.after(SWEEP, () => this.#sweep());
  }
}
