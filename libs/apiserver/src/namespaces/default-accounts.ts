import { type FollowedObjects, isTerminating } from '@orch/admission';
import { StatusError } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import type { ServingStore } from '@orch/storage';
import { Slices } from '../decoding/turns.js';
import { LEADERSHIP_MS, Leadership, RENEWAL_MS } from '../following/leadership.js';
import { WorkOnDemand } from '../following/work-on-demand.js';
import type { Endpoint } from '../served/endpoint.js';
import { serverForUsers } from '../writing/caller.js';
import { ensureOwn, type OwnCreations } from '../writing/own-creation.js';

export interface DefaultAccountsOptions extends OwnCreations {
  /** In memory. */
  readonly namespaces: FollowedObjects;
  readonly accounts: FollowedObjects;
  /** Service accounts in the version that is stored. */
  readonly endpoint: Endpoint;
  readonly store: Pick<ServingStore, 'lease'>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** The account of pods that name none. */
const NAME = 'default';
/** Milliseconds between two rounds at least. */
const REST_MS = 50;

/** Makes the account `default` in every namespace that is not on its way out, again where it was deleted; in one process at a time. */
export class DefaultAccounts {
  readonly #clock: Clock;
  readonly #leadership: Leadership;
  readonly #work: WorkOnDemand;
  #cancelNext: (() => void) | undefined;
  #started = false;
  #stopped = false;

  constructor(private readonly options: DefaultAccountsOptions) {
    const { store, namespaces, accounts, onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#leadership = new Leadership(store.lease('default-accounts', LEADERSHIP_MS), clock);
    this.#work = new WorkOnDemand(() => this.#round(), { onError, restMs: REST_MS, clock });
    for (const followed of [namespaces, accounts]) followed.onChange(() => this.#changed());
  }

  start(): void {
    this.#started = true;
    this.#work.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelNext?.();
    await this.#work.stop();
    await this.#leadership.giveBack();
  }

  #changed(): void {
    if (this.#started && !this.#stopped) this.#work.ask();
  }

  async #round(): Promise<void> {
    const { leads } = await this.#leadership.renew();
    if (leads) await this.#makeMissing();
    this.#cancelNext?.();
    if (!this.#stopped) this.#cancelNext = this.#clock.after(RENEWAL_MS, () => this.#work.ask());
  }

  async #makeMissing(): Promise<void> {
    const { namespaces, accounts } = this.options;
    const slices = new Slices();
    for (const { metadata } of [...namespaces.all()]) {
      await slices.between();
      if (this.#stopped || !this.#leadership.leads) return;
      const { name: namespace = '', deletionTimestamp } = metadata ?? {};
      if (deletionTimestamp === undefined && !accounts.get(namespace, NAME)) await this.#make(namespace);
    }
  }

  /** What is refused in one namespace keeps nobody from the others; it may also be gone by now. */
  async #make(namespace: string): Promise<void> {
    const { endpoint, onError } = this.options;
    try {
      await ensureOwn(this.options, endpoint, { metadata: { namespace, name: NAME } }, serverForUsers());
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.code !== 404 && !isTerminating(error)) onError(error);
    }
  }
}
