import { type Store, StoreUnavailableError, type TypeId } from '@orch/storage';

/** Milliseconds for which a measurement is valid at least. */
const KEPT_MS = 30_000;
/**
 * A type found too large keeps that verdict for this many times the duration of the measurement, so that measuring
 * takes only a small share of the time.
 */
const KEPT_TIMES = 100;
/** Number of objects that are measured at most; a type of more does not fit. */
const OBJECTS = 200_000;

type Verdict = 'fits' | 'too-large' | 'not-known';

interface Found {
  readonly verdict: Promise<Verdict>;
  /** Monotonic ms; infinity while a type is being measured. */
  readonly until: number;
  readonly tooLarge?: boolean;
}

/** Decides whether a type is small enough to be loaded into memory for a list. */
export class MemoryFit {
  readonly #found = new Map<TypeId, Found>();

  /** @param maxBytes bound on the total size of the bodies of a type */
  constructor(
    private readonly store: Pick<Store, 'measure'>,
    private readonly maxBytes: number,
  ) {}

  /**
   * Whether the objects of a type are few and small enough, as measured in the database and kept for a while; false
   * where it cannot be measured now. A type that was too large counts as such while it is measured again.
   */
  async fits(type: TypeId): Promise<boolean> {
    const known = this.#found.get(type);
    const { verdict } = known && performance.now() < known.until ? known : this.#begin(type, known);
    return (await verdict) === 'fits';
  }

  /**
   * Measures a type. A type that was too large counts as such until the new measure is known, so that lists do not
   * wait.
   */
  #begin(type: TypeId, known: Found | undefined): Found {
    const began = performance.now();
    const measured = this.#measure(type);
    const meanwhile = { verdict: known?.tooLarge ? known.verdict : measured, until: Number.POSITIVE_INFINITY };
    this.#found.set(type, meanwhile);
    measured.then(
      (verdict) => {
        const now = performance.now();
        const times = verdict === 'too-large' ? KEPT_TIMES : 0;
        const until = now + Math.max(KEPT_MS, times * (now - began));
        this.#found.set(type, { verdict: measured, until, tooLarge: verdict === 'too-large' });
      },
      () => this.#found.delete(type),
    );
    return meanwhile;
  }

  async #measure(type: TypeId): Promise<Verdict> {
    try {
      const { objects, bytes } = await this.store.measure(type, OBJECTS + 1);
      return objects <= OBJECTS && bytes <= this.maxBytes ? 'fits' : 'too-large';
    } catch (error) {
      // A type that cannot be measured in time can be listed from the database, which reports itself if it is
      // unavailable.
      if (error instanceof StoreUnavailableError) return 'not-known';
      throw error;
    }
  }
}
