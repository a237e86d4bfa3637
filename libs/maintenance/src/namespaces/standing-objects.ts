import { isDeepStrictEqual } from 'node:util';
import { type FollowedObjects, isTerminating } from '@orch/admission';
import { type ApiObject, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type Clock, systemClock } from '@orch/runtime';
import { LEADERSHIP_MS, Leadership, RENEWAL_MS, Slices, WorkOnDemand } from '@orch/runtime/work';
import { type ServingStore, UnreadableBodyError } from '@orch/storage';
import { serverForUsers, type WritePipeline } from '@orch/writing';

/** An object that every namespace has. */
export interface StandingObject {
  /** In the version that is stored. */
  readonly endpoint: Endpoint;
  readonly name: string;
  /** What it says beside its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Objects of its kind in memory; those of other names need not be known. */
  readonly followed: Pick<FollowedObjects, 'get' | 'onChange'>;
}

interface StandingObjectsOptions {
  /** In memory. */
  readonly namespaces: Pick<FollowedObjects, 'all' | 'onChange'>;
  readonly objects: readonly StandingObject[];
  readonly pipeline: WritePipeline;
  readonly store: Pick<ServingStore, 'lease'>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two rounds at least. */
const REST_MS = 50;

/**
 * Makes what every namespace has that is not on its way out, again where it was deleted, and puts right what it says; in one process
 * at a time.
 */
export class StandingObjects {
  readonly #clock: Clock;
  readonly #leadership: Leadership;
  readonly #work: WorkOnDemand;
  #cancelNext: (() => void) | undefined;
  #started = false;
  #stopped = false;

  constructor(private readonly options: StandingObjectsOptions) {
    const { store, namespaces, objects, onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#leadership = new Leadership(store.lease('standing-objects', LEADERSHIP_MS), clock);
    this.#work = new WorkOnDemand(() => this.#round(), { onError, restMs: REST_MS, clock });
    for (const followed of [namespaces, ...objects.map((each) => each.followed)])
      followed.onChange(() => this.#changed());
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
    if (leads) await this.#putRight();
    this.#cancelNext?.();
    if (!this.#stopped) this.#cancelNext = this.#clock.after(RENEWAL_MS, () => this.#work.ask());
  }

  async #putRight(): Promise<void> {
    const slices = new Slices();
    for (const { metadata } of [...this.options.namespaces.all()]) {
      await slices.between();
      if (this.#stopped || !this.#leadership.leads) return;
      const { name = '', deletionTimestamp } = metadata ?? {};
      if (deletionTimestamp !== undefined) continue;
      for (const object of this.options.objects) if (!isRight(object, name)) await this.#write(object, name);
    }
  }

  /** What is refused in one namespace keeps nobody from the others; it may also be gone by now. */
  async #write({ endpoint, name, content }: StandingObject, namespace: string): Promise<void> {
    const key = { namespace, name };
    const request = { operation: 'UPDATE', endpoint, key, subresource: '', caller: serverForUsers() } as const;
    const create = (): ApiObject => ({ metadata: { ...key }, ...structuredClone(content) });
    const change = (current: ApiObject): ApiObject => ({ ...current, ...structuredClone(content) });
    try {
      await this.options.pipeline.write({ ...request, options: { dryRun: false } }, { create, change });
    } catch (error) {
      // Whoever follows what it is, or what decides on it, tells of that.
      if (error instanceof UnreadableBodyError) return;
      if (!(error instanceof StatusError)) throw error;
      if (error.code !== 404 && !isTerminating(error)) this.options.onError(error);
    }
  }
}

function isRight({ followed, name, content }: StandingObject, namespace: string): boolean {
  const found = followed.get(namespace, name);
  return found !== undefined && Object.keys(content).every((key) => isDeepStrictEqual(found[key], content[key]));
}
