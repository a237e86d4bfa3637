import { isIPv6 } from 'node:net';
import { connectionMessage } from '@orch/client';
import { type Clock, systemClock } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import { type Availability, failedDiscovery, knownAvailability, LOCAL, PASSED } from './availability.js';
import type { Backings } from './backings.js';
import { fetchFrom } from './extension-client.js';
import type { Extensions } from './extensions.js';
import type { Registration } from './registration.js';
import { isRemote, type RemoteRegistration } from './remote-registrations.js';

interface AvailabilityChecksOptions {
  readonly backings: Pick<Backings, 'of'>;
  readonly extensions: Pick<Extensions, 'unverified'>;
  /** Called when a check of a registration has ended. */
  readonly onAnswer: (name: string) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two checks of a server that answers. */
const RECHECK_MS = 30_000;
/** Waits between checks of a server that does not answer, milliseconds. */
const RETRY = { firstMs: 250, longestMs: RECHECK_MS };
const ANSWER_MS = 5_000;
/** Attempts of a check: of a server with several endpoints some may answer. */
const ATTEMPTS = 5;
const MAX_BYTES = 1 << 20;

interface Check {
  /** Identifies the state of the registration that was checked. */
  readonly fingerprint: string;
  found?: Availability;
  readonly backoff: Backoff;
  /** Monotonic milliseconds; never while one is under way. */
  nextAt: number;
}

/**
 * Determines which registered group-versions are available: from their Services where that suffices, else by requests,
 * each at its own pace.
 */
export class AvailabilityChecks {
  readonly #clock: Clock;
  readonly #checks = new Map<string, Check>();
  #stopped = false;

  constructor(private readonly options: AvailabilityChecksOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Returns the availability of a group-version; undefined before its first check has ended. Starts a check when one is
   * due.
   */
  of(registration: Registration): Availability | undefined {
    if (!isRemote(registration)) return LOCAL;
    const backing = this.options.backings.of(registration.service);
    if (!backing) return undefined;
    const known = knownAvailability({ spec: registration.spec }, backing);
    if (known) {
      this.#checks.delete(registration.name);
      return known;
    }
    const { service, endpoints } = backing;
    const fingerprint = JSON.stringify([registration.uid, registration.service, service?.spec, endpoints?.subsets]);
    let check = this.#checks.get(registration.name);
    if (check?.fingerprint !== fingerprint) {
      check = { fingerprint, backoff: new Backoff(RETRY), nextAt: Number.NEGATIVE_INFINITY };
      this.#checks.set(registration.name, check);
    }
    if (check.nextAt <= this.#clock.now() && !this.#stopped) void this.#look(registration, check);
    return check.found;
  }

  /**
   * Milliseconds until a registration is to be checked again; undefined where it need not be, or a check is under way.
   */
  pauseOf(name: string): number | undefined {
    const { nextAt = Number.POSITIVE_INFINITY } = this.#checks.get(name) ?? {};
    return nextAt === Number.POSITIVE_INFINITY ? undefined : Math.max(0, nextAt - this.#clock.now());
  }

  /** Forgets all but these. */
  keep(names: { has(name: string): boolean }): void {
    for (const name of this.#checks.keys()) if (!names.has(name)) this.#checks.delete(name);
  }

  /** Starts no further checks. */
  stop(): void {
    this.#stopped = true;
  }

  async #look(registration: RemoteRegistration, check: Check): Promise<void> {
    check.nextAt = Number.POSITIVE_INFINITY;
    const attempts = Array.from({ length: ATTEMPTS }, () => this.#ask(registration));
    try {
      await Promise.any(attempts);
      check.found = PASSED;
      check.backoff.reset();
      check.nextAt = this.#clock.now() + RECHECK_MS;
    } catch (error) {
      const [first] = (error as AggregateError).errors as Error[];
      check.found = failedDiscovery(first?.message ?? '');
      check.nextAt = this.#clock.now() + check.backoff.next();
    }
    if (!this.#stopped) this.options.onAnswer(registration.name);
  }

  /** Asks the server for its group-version. @throws Error with the message of the condition */
  async #ask(registration: RemoteRegistration): Promise<void> {
    const extension = this.options.extensions.unverified(registration);
    const { group, version } = registration;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const host = isIPv6(extension.host) ? `[${extension.host}]` : extension.host;
    const url = `https://${host}:${extension.port}${path}`;
    try {
      const { status } = await fetchFrom(extension, path, { limitMs: ANSWER_MS, maxBytes: MAX_BYTES });
      if (status < 200 || status >= 300) throw new Error(`bad status from ${url}: ${status}`);
    } catch (error) {
      throw new Error(`failing or missing response from ${url}: ${connectionMessage(error)}`);
    }
  }
}
