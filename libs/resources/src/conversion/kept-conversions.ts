import type { Row } from '@orch/storage';
import { owned } from '@orch/watchcache';

/** An object as it lies, and what was made of it. */
interface Kept {
  readonly stored: Pick<Row, 'storedVersion' | 'defaults' | 'body'>;
  readonly converted: Buffer;
  readonly bytes: number;
}

/** Bytes that an entry takes beside its bodies, about. */
const OVERHEAD = 300;

/** Cache of conversions made for lists, bounded in bytes; evicts what was listed least recently. */
export class KeptConversions {
  /** Entries by converter and object, the least recently listed first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param maxBytes bound on stored and converted bodies together; 0 caches nothing */
  constructor(private readonly maxBytes: number) {}

  /** Bytes of bodies that are kept now, stored and converted ones together. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds the conversion of exactly this body; undefined for none.
   * @param by key of the converter; changes with the definition
   */
  find(by: string, row: Row): Buffer | undefined {
    const key = keyOf(by, row);
    const kept = this.#kept.get(key);
    if (!kept || !isSame(kept.stored, row)) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.converted;
  }

  /** Caches a converted body, in place of an earlier one of the same object. */
  keep(by: string, { uid, storedVersion, defaults, body }: Row, made: Buffer): void {
    if (this.maxBytes === 0) return;
    const key = keyOf(by, { uid });
    this.#drop(key);
    const stored = { storedVersion, defaults, body: owned(body) };
    const converted = owned(made);
    const bytes = stored.body.length + converted.length + OVERHEAD;
    this.#kept.set(key, { stored, converted, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

const keyOf = (by: string, { uid }: Pick<Row, 'uid'>): string => `${by} ${uid}`;

/** The bytes say it: versions of a history that was left may come again. */
const isSame = (stored: Kept['stored'], { storedVersion, defaults, body }: Row): boolean =>
  stored.storedVersion === storedVersion &&
  stored.defaults === defaults &&
  (stored.body === body || stored.body.equals(body));
