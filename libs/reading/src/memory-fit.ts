import { type Store, StoreUnavailableError, type TypeId } from '@orch/storage';

/** Milliseconds for which what was found holds at least. */
const KEPT_MS = 30_000;
/** Times as long as it took to find that a type is too large that holds: it is read whole for it, for so small a part of the time. */
const KEPT_TIMES = 100;
/** Objects that are looked at; a type of more does not fit. */
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

  /** @param maxBytes bound on the bodies of a type, together */
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
      // What cannot be measured in time can be listed from the database, which says so itself when it is not there.
      if (error instanceof StoreUnavailableError) return 'not-known';
      throw error;
    }
  }
}
