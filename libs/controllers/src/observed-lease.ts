import { type Clock, systemClock } from '@orch/runtime';
import type { SharedInformer } from '@orch/runtime/informers';

/** The `spec` of a Lease (coordination.k8s.io/v1), as leader election of client-go writes it. */
export interface LeaseRecord {
  /** Identity of the leader; empty or absent where it has given the lease back. */
  readonly holderIdentity?: string;
  /** Seconds after a renewal at which another candidate may lead. */
  readonly leaseDurationSeconds?: number;
  /** Time of the last renewal, by the leader's clock. */
  readonly renewTime?: string;
}

/** Seconds of a lease that names none. */
const DEFAULT_SECONDS = 15;
/** Longest time that a lease counts as held after a change: a record may say any number. Milliseconds. */
const LONGEST_MS = 3_600_000;

/**
 * Observes whether another program holds a lease. As in client-go, clocks of other machines are not believed: a lease is
 * held for its duration after each change of the record that is seen here, so one that is found at start counts as held
 * at first.
 */
export class ObservedLease {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #isHeld = true;
  #seen: string | undefined;
  #cancelExpiry = (): void => undefined;

  /**
   * @param informer informer of Leases, which need not have synced yet: until then the lease counts as held
   * @param key key of the lease in the informer, `namespace/name`
   */
  constructor(
    private readonly informer: Pick<SharedInformer<LeaseRecord>, 'get' | 'hasSynced' | 'onChange'>,
    private readonly key: string,
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#unsubscribe = informer.onChange((changed) => {
      if (changed.has(key) || this.#seen === undefined) this.#look();
    });
    if (informer.hasSynced) this.#look();
  }

  /** Whether another program holds the lease. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Identity of the holder, or of the last one; undefined for none. */
  get holder(): string | undefined {
    return this.informer.get(this.key)?.holderIdentity;
  }

  /** Calls the listener whenever {@link isHeld} has changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Observes nothing any more. */
  stop(): void {
    this.#unsubscribe();
    this.#cancelExpiry();
    this.#listeners.clear();
  }

  #look(): void {
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds } = this.informer.get(this.key) ?? {};
    const record = JSON.stringify([holderIdentity, renewTime, leaseDurationSeconds]);
    if (record === this.#seen) return;
    this.#seen = record;
    this.#cancelExpiry();
    const isHeld = holderIdentity !== '';
    const ms = Math.min((leaseDurationSeconds ?? DEFAULT_SECONDS) * 1_000, LONGEST_MS);
    if (isHeld) this.#cancelExpiry = this.#clock.after(ms, () => this.#set(false));
    this.#set(isHeld);
  }

  #set(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    for (const listener of [...this.#listeners]) listener();
  }
}
