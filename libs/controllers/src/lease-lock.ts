import { type Clock, systemClock } from '@orch/runtime';
import type { LeadershipLease } from '@orch/runtime/work';

/** The part of a Lease (coordination.k8s.io/v1) that leader election reads and writes. */
export interface LeaseObject {
  /** Name and version. */
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
  /** Holder and times. */
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** Reads and writes one Lease. */
export interface LeaseClient {
  /** Returns the Lease; undefined where there is none. */
  get(): Promise<LeaseObject | undefined>;
  /** Creates it. @returns false where somebody else has */
  create(lease: LeaseObject): Promise<boolean>;
  /** Replaces the version that was read. @returns false where somebody else has changed it */
  update(lease: LeaseObject): Promise<boolean>;
}

/** Settings of a {@link LeaseLock}. */
interface LeaseLockSettings {
  /** Name of the Lease. */
  readonly name: string;
  /** Namespace of the Lease. */
  readonly namespace: string;
  /** Name of this candidate, unlike that of any other. */
  readonly identity: string;
  /** Milliseconds after a renewal at which another candidate may lead. */
  readonly durationMs: number;
  /** Formats a wall time with microseconds. */
  readonly formatTime: (ms: number) => string;
  /** Default: the machine's time. */
  readonly clock?: Clock;
}

/**
 * A Lease object by which one of several candidates leads, as leader election of client-go does it: clocks of other
 * machines are not believed, a lease counts as held for its duration after each change that is seen here.
 */
export class LeaseLock implements LeadershipLease {
  readonly #clock: Clock;
  #observed: LeaseObject | undefined;
  #observedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly client: LeaseClient,
    private readonly settings: LeaseLockSettings,
  ) {
    this.#clock = settings.clock ?? systemClock;
  }

  /** Identity of the holder as it was seen last; empty for none. */
  get holder(): string {
    return this.#observed?.spec?.holderIdentity ?? '';
  }

  /** Takes the lease, or renews it. @returns false while another holds it, or has overtaken this candidate */
  async take(): Promise<boolean> {
    const found = await this.client.get();
    if (!found) return this.client.create(this.#written(undefined));
    this.#observe(found);
    if (this.#isHeldByAnother(found)) return false;
    return this.client.update(this.#written(found));
  }

  /** Gives the lease back, if it is held. */
  async giveBack(): Promise<void> {
    const found = await this.client.get();
    if (found?.spec?.holderIdentity !== this.settings.identity) return;
    const now = this.settings.formatTime(this.#clock.wall());
    const { leaseTransitions = 0 } = found.spec;
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions, acquireTime: now, renewTime: now };
    await this.client.update({ ...found, spec });
  }

  #observe(found: LeaseObject): void {
    const isSame = this.#observed?.metadata?.resourceVersion === found.metadata?.resourceVersion;
    if (!isSame) this.#observedAt = this.#clock.now();
    this.#observed = found;
  }

  #isHeldByAnother({ spec = {} }: LeaseObject): boolean {
    const { holderIdentity = '', leaseDurationSeconds = 0 } = spec;
    if (holderIdentity === '' || holderIdentity === this.settings.identity) return false;
    return this.#clock.now() < this.#observedAt + leaseDurationSeconds * 1_000;
  }

  #written(found: LeaseObject | undefined): LeaseObject {
    const { name, namespace, identity, durationMs, formatTime } = this.settings;
    const now = formatTime(this.#clock.wall());
    const before = found?.spec ?? {};
    const isOurs = before.holderIdentity === identity;
    return {
      ...found,
      metadata: { ...found?.metadata, name, namespace },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.round(durationMs / 1_000),
        acquireTime: (isOurs && before.acquireTime) || now,
        renewTime: now,
        leaseTransitions: (before.leaseTransitions ?? 0) + (found && !isOurs ? 1 : 0),
      },
    };
  }
}
