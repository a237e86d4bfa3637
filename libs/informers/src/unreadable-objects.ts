import type { Clock } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import { type Key, type Row, type Store, type TypeId, UnreadableBodyError, type Version } from '@orch/storage';

/** Milliseconds until objects that were left out are read again; the wait doubles with each failure. */
export const FIRST_LOOK_MS = 2_500;
/** Longest wait until objects that were left out are read again, milliseconds. */
export const LONGEST_LOOK_MS = 30_000;
/**
 * Limits of one such round: objects that are found unreadable as before, and milliseconds. The next round begins with
 * those behind them.
 */
const MOST_IN_VAIN = 50;
const LOOK_TIME_MS = 5_000;

interface UnreadableObjectsOptions {
  readonly source: Pick<Store, 'get' | 'noteLeftOut'>;
  readonly type: TypeId;
  readonly clock: Clock;
  /** Called once for each object with the error that keeps it from being decrypted, and for other errors. */
  readonly onError: (error: unknown) => void;
  /** Whether an object of this version is the one that was left out; if not, changes deliver it. */
  readonly isUnchanged: (version: Version) => boolean;
  /** Called with a row that can be opened now, and is left out no more. */
  readonly onOpened: (row: Row) => void;
}

/**
 * Objects of a type that cannot be decrypted, and without which an informer continues: they are read again until they
 * can be.
 */
export class UnreadableObjects {
  #errors = new Map<string, UnreadableBodyError>();
  readonly #backoff = new Backoff({ firstMs: FIRST_LOOK_MS, longestMs: LONGEST_LOOK_MS });
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(private readonly options: UnreadableObjectsOptions) {}

  /** Errors by name of the objects that cannot be opened. */
  get errors(): ReadonlyMap<string, UnreadableBodyError> {
    return this.#errors;
  }

  /** Replaces the objects that are left out. */
  replace(errors: Map<string, UnreadableBodyError>): void {
    const before = this.#errors;
    this.#errors = errors;
    for (const [name, error] of errors) this.#tell(error, before.get(name));
    this.#lookLater();
  }

  /** Removes an object of which a change was delivered: it is known, or deleted. */
  forget(name: string): void {
    this.#errors.delete(name);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
  }

  #tell(error: UnreadableBodyError, before: UnreadableBodyError | undefined): void {
    this.options.source.noteLeftOut?.(error);
    if (before?.message !== error.message) this.options.onError(error);
  }

  #lookLater(): void {
    if (this.#stopped || this.#cancelLook || this.#errors.size === 0) return;
    this.#cancelLook = this.options.clock.after(this.#backoff.next(), () => {
      void this.#lookAgain().then((isOver) => {
        // Others wait for their turn.
        if (!isOver) this.#backoff.reset();
        this.#cancelLook = undefined;
        this.#lookLater();
      });
    });
  }

  /** Reads the objects again. Never rejects. @returns whether all of them were read */
  async #lookAgain(): Promise<boolean> {
    const { clock, isUnchanged, onOpened } = this.options;
    const until = clock.now() + LOOK_TIME_MS;
    let left = this.#errors.size;
    let inVain = 0;
    for (const [name, error] of [...this.#errors]) {
      const found = await this.#lookAt(error.what.key);
      if (this.#stopped) return true;
      left--;
      // A change of it was delivered meanwhile.
      if (this.#errors.get(name) !== error) continue;
      if (found instanceof UnreadableBodyError) {
        // Others come before it the next time.
        this.#errors.delete(name);
        this.#errors.set(name, found);
        this.#tell(found, error);
        if (++inVain === MOST_IN_VAIN || clock.now() > until) return left <= 0;
      } else if (found && isUnchanged(found.version)) {
        this.#errors.delete(name);
        onOpened(found);
      }
      // Changes deliver objects that were created, changed or deleted since.
    }
    return true;
  }

  async #lookAt(key: Key): Promise<Row | UnreadableBodyError | undefined> {
    const { source, type, onError } = this.options;
    try {
      return await source.get(type, key);
    } catch (error) {
      if (error instanceof UnreadableBodyError) return error;
      onError(error);
      return undefined;
    }
  }
}
