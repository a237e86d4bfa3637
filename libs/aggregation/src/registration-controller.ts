import type { ObjectFollower } from '@orch/informers';
import { StatusError } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { inParallel, LeaderRounds, type Leadership, onePage, RENEWAL_MS } from '@orch/runtime/work';
import type { Availability } from './availability.js';
import type { AvailabilityChecks } from './availability-checks.js';
import { type LocalRegistration, syncing } from './local-registrations.js';
import { isAvailable, type Registration } from './registration.js';
import type { RegistrationWriter } from './registration-writer.js';

export interface RegistrationControllerOptions {
  readonly leadership: Leadership;
  readonly follower: ObjectFollower<Registration>;
  readonly checks: Pick<AvailabilityChecks, 'of' | 'pause' | 'keep' | 'stop'>;
  readonly writer: Pick<RegistrationWriter, 'tell' | 'sync'>;
  /** The registrations of what is served here, as it is now, by name. */
  local(): ReadonlyMap<string, LocalRegistration>;
  /** Whether it may serve more where others can read what it cannot: what it does not serve is let be then. */
  isPartial(): boolean;
  /** Hears of each that was there and is not any more. */
  readonly onUnavailable: (registration: Registration, reason: string) => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Registrations that are written at a time. */
const WRITES = { items: 64, bytes: 64, sizeOf: () => 1 };

/** Something that is to be written of one registration. */
interface Due {
  readonly name: string;
  write(): Promise<void>;
}

/**
 * Looks after registrations, in one process at a time: what is served here is registered, and all are told whether they are there.
 * A server that does not answer keeps nobody from the others.
 */
export class RegistrationController {
  readonly #clock: Clock;
  readonly #rounds: LeaderRounds;
  /** Names of those that could not be written; monotonic milliseconds. */
  readonly #refusedUntil = new Map<string, number>();
  readonly #synced = new Set<string>();
  #present: ReadonlySet<string> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: RegistrationControllerOptions) {
    const { leadership, onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#rounds = new LeaderRounds({ leadership, round: (isNew) => this.#round(isNew), onError, clock });
  }

  start(): void {
    this.#unsubscribe = this.options.follower.onChange(() => this.ask());
    this.ask();
  }

  /** Something may be to be done. */
  ask(): void {
    this.#rounds.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.options.checks.stop();
    await this.#rounds.stop();
  }

  /** @returns milliseconds until a server is asked again whether it is there */
  async #round(isNew: boolean): Promise<number | undefined> {
    const { follower, checks } = this.options;
    if (follower.version === undefined) return undefined;
    // What the one before has written is to be known.
    if (isNew) await follower.confirm();
    this.#present ??= new Set(follower.objects.keys());
    checks.keep(follower.objects);
    await this.#carryOut([...this.#unsynced(), ...this.#untold()]);
    return checks.pause;
  }

  #unsynced(): Due[] {
    const { follower, local, isPartial, writer } = this.options;
    const wanted = local();
    const state = { present: this.#present ?? new Set<string>(), synced: this.#synced };
    return [...new Set([...wanted.keys(), ...follower.objects.keys()])].flatMap((name) => {
      const found = syncing(wanted.get(name), follower.objects.get(name), name, state);
      if (found?.act === 'delete' && isPartial()) return [];
      if (!found) {
        this.#synced.add(name);
        return [];
      }
      const write = async () => {
        await writer.sync(found);
        this.#synced.add(name);
      };
      return [{ name, write }];
    });
  }

  #untold(): Due[] {
    const { follower, checks } = this.options;
    return [...follower.objects.values()].flatMap((registration) => {
      const found = checks.of(registration);
      if (!found || isTold(registration, found)) return [];
      return [{ name: registration.name, write: () => this.#tell(registration, found) }];
    });
  }

  async #tell(registration: Registration, availability: Availability): Promise<void> {
    await this.options.writer.tell(registration, availability);
    if (isAvailable(registration) && availability.status !== 'True')
      this.options.onUnavailable(registration, availability.reason);
  }

  /**
   * What is found next is found upon this. What is refused of one registration keeps nobody from the others, and is tried again
   * later. @throws StoreUnavailableError
   */
  async #carryOut(all: readonly Due[]): Promise<void> {
    const { leadership, follower } = this.options;
    const now = this.#clock.now();
    for (const [name, until] of this.#refusedUntil) if (until <= now) this.#refusedUntil.delete(name);
    const due = all.filter(({ name }) => !this.#refusedUntil.has(name));
    if (due.length === 0) return;
    await inParallel(onePage(due), WRITES, async ({ name, write }) => {
      if (!leadership.leads) return;
      await write().catch((error: unknown) => this.#refused(name, error));
    });
    await follower.confirm();
  }

  /** @throws the error where it is not about this one registration */
  #refused(name: string, error: unknown): void {
    if (!(error instanceof StatusError)) throw error;
    this.options.onError(error);
    this.#refusedUntil.set(name, this.#clock.now() + RENEWAL_MS);
  }
}

const isTold = ({ told }: Registration, { status, reason, message }: Availability): boolean =>
  told?.status === status && told.reason === reason && told.message === message;
