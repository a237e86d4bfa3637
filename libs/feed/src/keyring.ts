import { type Clock, systemClock } from '@orch/runtime/clock';
import type { AnnouncementKeys } from '@orch/storage';
import { Seal, type SealingKey, type SealRefusal, sealingKey } from './seal.js';

/** The source of keys, and how often it is read. */
export interface KeyringOptions {
  /** Id of the cluster that messages are for. */
  readonly installation: string;
  /** Reads the keys from the database. */
  readonly load: () => Promise<AnnouncementKeys>;
  /** Milliseconds between readings. Default 60,000. */
  readonly interval?: number;
  /** Least milliseconds between readings because of messages with unknown keys. Default 5,000. */
  readonly unknownKeyInterval?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Called when reading keys fails; the previous keys stay in use. */
  readonly onError?: (error: unknown) => void;
}

/** The keys of an installation as one process knows them. */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #clock: Clock;
  readonly #seal: Seal;
  #signing: SealingKey | undefined;
  #accepted: ReadonlyMap<number, SealingKey> = new Map();
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(options: KeyringOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#seal = new Seal(options.installation);
    void this.refresh();
  }

  /** Seals a message; undefined before the keys are known. */
  sign(message: Uint8Array): Uint8Array | undefined {
    return this.#signing && this.#seal.put(message, this.#signing);
  }

  /** Returns the message without its seal, or why it is refused. */
  verify(sealed: Uint8Array): Uint8Array | SealRefusal {
    const verified = this.#seal.check(sealed, (id) => this.#accepted.get(id));
    if (verified === 'unknown-key') this.#lookForKey();
    return verified;
  }

  /** Reads the keys now. Never rejects. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Stops reading; the known keys stay in use. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  /** Rate-limited, so that messages with unknown keys do not cause a query each. */
  #lookForKey(): void {
    const { unknownKeyInterval = 5_000 } = this.#options;
    if (this.#clock.now() - this.#readAt >= unknownKeyInterval) void this.refresh();
  }

  async #read(): Promise<void> {
    this.#cancel?.();
    this.#readAt = this.#clock.now();
    try {
      const { signing, accepted } = await this.#options.load();
      this.#accepted = new Map(accepted.map(({ id, secret }) => [id, sealingKey(id, secret)]));
      this.#signing = this.#accepted.get(signing.id);
    } catch (error) {
      if (!this.#closed) this.#options.onError?.(error);
    }
    if (!this.#closed) this.#schedule();
  }

  /** Sooner while there are none: the database may be unavailable at the start. */
  #schedule(): void {
    const { interval = 60_000, unknownKeyInterval = 5_000 } = this.#options;
    const wait = this.#signing === undefined ? Math.min(interval, unknownKeyInterval) : interval;
    this.#cancel = this.#clock.after(wait, () => void this.refresh());
  }
}
