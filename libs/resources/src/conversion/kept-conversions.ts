import type { Row } from '@orch/storage';
import { owned } from '@orch/watchcache';

/** A stored object and its conversion. */
interface Kept {
  readonly stored: Pick<Row, 'storedVersion' | 'defaults' | 'body'>;
  readonly converted: Buffer;
  readonly bytes: number;
}

/** Approximate bytes of an entry beside its bodies. */
const OVERHEAD = 300;

/** Cache of conversions made for lists, bounded in bytes; evicts what was listed least recently. */
export class KeptConversions {
  /** Entries by converter and object, the least recently listed first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param maxBytes bound on the total size of stored and converted bodies; 0 caches nothing */
  constructor(private readonly maxBytes: number) {}

  /** Total bytes of the cached bodies, stored and converted ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds the conversion of exactly this body; undefined if there is none.
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

/** Compares the bytes, as the versions of an abandoned history may be assigned again. */
const isSame = (stored: Kept['stored'], { storedVersion, defaults, body }: Row): boolean =>
  stored.storedVersion === storedVersion &&
  stored.defaults === defaults &&
  (stored.body === body || stored.body.equals(body));
