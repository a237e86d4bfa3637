import { type Store, StoreUnavailableError, type TypeId } from '@orch/storage';

/** Milliseconds for which what was found holds. */
const KEPT_MS = 30_000;
/** Objects that are looked at; a type of more does not fit. */
const OBJECTS = 200_000;

interface Found {
  readonly at: number;
  readonly fits: Promise<boolean>;
}

/** Whether a type is small enough to be taken into memory for the sake of a list. */
export class MemoryFit {
  readonly #found = new Map<TypeId, Found>();

  /** @param maxBytes bodies of a type, together */
  constructor(
    private readonly store: Pick<Store, 'measure'>,
    private readonly maxBytes: number,
  ) {}

  fits(type: TypeId): Promise<boolean> {
    const known = this.#found.get(type);
    if (known && performance.now() - known.at < KEPT_MS) return known.fits;
    const fits = this.#measure(type);
    this.#found.set(type, { at: performance.now(), fits });
    fits.catch(() => this.#found.delete(type));
    return fits;
  }

  async #measure(type: TypeId): Promise<boolean> {
    try {
      const { objects, bytes } = await this.store.measure(type, OBJECTS + 1);
      return objects <= OBJECTS && bytes <= this.maxBytes;
    } catch (error) {
      // What cannot be measured in time can be listed from the database, which says so itself when it is not there.
      if (error instanceof StoreUnavailableError) return false;
      throw error;
    }
  }
}
