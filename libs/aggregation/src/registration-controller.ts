import { type Controller, type ControllerGroup, type ControllerSource, informerSource } from '@orch/controllers';
import type { SharedInformer } from '@orch/runtime/informers';
import type { OwnRun } from '@orch/writing';
import type { Availability } from './availability.js';
import type { AvailabilityChecks } from './availability-checks.js';
import { type LocalRegistration, type Syncing, syncing } from './local-registrations.js';
import { isAvailable, type Registration } from './registration.js';
import type { RegistrationWriter } from './registration-writer.js';

/** Dependencies of a {@link RegistrationController}. */
export interface RegistrationControllerOptions {
  /** Informer of the registrations. */
  readonly informer: SharedInformer<Registration>;
  /** Checks of the servers that registrations name. */
  readonly checks: Pick<AvailabilityChecks, 'of' | 'pauseOf' | 'keep' | 'stop'>;
  /** Writes registrations and their conditions. */
  readonly writer: Pick<RegistrationWriter, 'report' | 'sync'>;
  /** Returns the registrations of the group-versions that are served here now, by name. */
  local(): ReadonlyMap<string, LocalRegistration>;
  /** Calls the listener when something else is served here, until the returned function is called. */
  onServed(listener: () => void): () => void;
  /** Whether definitions exist that this server cannot read: registrations that it does not serve are kept then. */
  isPartial(): boolean;
  /** Called for each registration that becomes unavailable. */
  readonly onUnavailable: (registration: Registration, reason: string) => void;
}

/** Registrations that are reconciled at a time. */
const WORKERS = 64;
/** Least milliseconds between two reconciliations of a registration. */
const REST_MS = 10;
/** Waits until a registration that could not be written is tried again, milliseconds. */
const RETRY = { firstMs: 250, longestMs: 5_000 };
/** Milliseconds until it is looked again whether all definitions can be read. */
const PARTIAL_MS = 3_000;

/**
 * Reconciles registrations, by their names and as the server itself: group-versions served here are registered, and the
 * condition of each registration says whether it is available. A server that does not answer delays no others.
 */
export class RegistrationController implements ControllerGroup {
  readonly controllers: readonly Controller[];
  readonly #synced = new Set<string>();
  readonly #listeners = new Set<(name: string) => void>();
  #present: ReadonlySet<string> | undefined;

  constructor(private readonly options: RegistrationControllerOptions) {
    const { informer } = options;
    const asked: ControllerSource = {
      subscribe: (enqueue) => {
        this.#listeners.add(enqueue);
        return () => this.#listeners.delete(enqueue);
      },
      keys: () => [],
    };
    this.controllers = [
      {
        name: 'apiservice',
        ...{ sources: [informerSource(informer), localSource(options), asked], workers: WORKERS },
        ...{ retry: RETRY, restMs: REST_MS },
        reconcile: (name, run) => this.#look(name, run),
      },
    ];
  }

  /** Queues all registrations of other servers, as one of their Services has changed. */
  askOfServices(): void {
    for (const { name, service } of this.options.informer.list()) if (service) this.ask(name);
  }

  /** Queues a registration. */
  ask(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** Stops the checks of other servers. */
  stop(): void {
    this.options.checks.stop();
  }

  /** @returns milliseconds until it is reconciled again; undefined for when something changes */
  async #look(name: string, run: OwnRun): Promise<number | undefined> {
    const { informer, checks } = this.options;
    this.#present ??= new Set(informer.keys());
    const isLeft = await this.#sync(name, run);
    const registration = informer.get(name);
    if (registration) await this.#report(registration, run);
    else checks.keep(informer);
    const pauses = [isLeft ? PARTIAL_MS : undefined, checks.pauseOf(name)].filter((pause) => pause !== undefined);
    return pauses.length > 0 ? Math.min(...pauses) : undefined;
  }

  /** Registers what is served here. @returns whether work remains until all definitions can be read */
  async #sync(name: string, run: OwnRun): Promise<boolean> {
    const { informer, writer, isPartial } = this.options;
    const found = this.#unsynced(name);
    if (found?.act === 'delete' && isPartial()) return true;
    if (found) {
      await writer.sync(found, run);
      // The next decision must be based on the result of this one.
      await informer.confirm();
    }
    this.#synced.add(name);
    return false;
  }

  #unsynced(name: string): Syncing | undefined {
    const { informer, local } = this.options;
    const state = { present: this.#present ?? new Set<string>(), synced: this.#synced };
    return syncing(local().get(name), informer.get(name), name, state);
  }

  async #report(registration: Registration, run: OwnRun): Promise<void> {
    const { informer, checks, writer, onUnavailable } = this.options;
    const found = checks.of(registration);
    if (!found || isReported(registration, found) || !run.goesOn) return;
    await writer.report(registration, found, run);
    if (isAvailable(registration) && found.status !== 'True') onUnavailable(registration, found.reason);
    await informer.confirm();
  }
}

/** Wakes a controller with the names of registrations whose desired state has changed. */
function localSource({ local, onServed }: RegistrationControllerOptions): ControllerSource {
  return {
    subscribe(enqueue) {
      let before = local();
      return onServed(() => {
        const now = local();
        for (const name of new Set([...before.keys(), ...now.keys()]))
          if (before.get(name) !== now.get(name)) enqueue(name);
        before = now;
      });
    },
    keys: () => local().keys(),
  };
}

const isReported = ({ reported }: Registration, { status, reason, message }: Availability): boolean =>
  reported?.status === status && reported.reason === reason && reported.message === message;
