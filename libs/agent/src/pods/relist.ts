import type { ListedPod } from '@orch/pod-containers';
import type { Clock, Logger } from '@orch/runtime';

/** Settings of a {@link Relist}. */
interface RelistSettings {
  /** Returns all pods of the runtime. */
  readonly list: () => Promise<ReadonlyMap<string, ListedPod>>;
  /** Called with the uid of each pod of which something has changed. */
  readonly onChange: (uid: string) => void;
  /** Interval of the lists, ms. Default 1,000. */
  readonly everyMs?: number;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs lists that fail. */
  readonly logger: Logger;
}

const EVERY_MS = 1_000;
/** Intervals after which a list is too old to be decided by. */
const RECENT = 3;

/** Compares the runtime's lists with those before, from time to time: nobody else says that a container has ended. */
export class Relist {
  #last: ReadonlyMap<string, ListedPod> = new Map();
  #listedAt: number | undefined;
  /** Time at which the last list that succeeded was begun: it may lack what happened later. */
  #begunAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly settings: RelistSettings) {}

  /** Pods of the last list, by uid. */
  get pods(): ReadonlyMap<string, ListedPod> {
    return this.#last;
  }

  /** Milliseconds since the last list that succeeded; infinite before the first. */
  get ageMs(): number {
    return this.#listedAt === undefined ? Number.POSITIVE_INFINITY : this.settings.clock.now() - this.#listedAt;
  }

  /** Pods of the last list, if that was begun after a time and not long ago; undefined otherwise. */
  since(time: number): ReadonlyMap<string, ListedPod> | undefined {
    const isRecent = this.settings.clock.now() - this.#begunAt <= RECENT * this.#everyMs;
    return isRecent && this.#begunAt > time ? this.#last : undefined;
  }

  /** Lists, and again after each interval. Resolves after the first list. */
  async start(): Promise<void> {
    this.#running = this.#once();
    await this.#running;
    if (!this.#stopped) this.#cancel = this.settings.clock.after(this.#everyMs, () => void this.start());
  }

  /** Ends the lists. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  get #everyMs(): number {
    return this.settings.everyMs ?? EVERY_MS;
  }

  async #once(): Promise<void> {
    const { list, onChange, clock, logger } = this.settings;
    const begunAt = clock.now();
    try {
      const pods = await list();
      const before = this.#last;
      this.#last = pods;
      this.#begunAt = begunAt;
      this.#listedAt = clock.now();
      for (const uid of new Set([...before.keys(), ...pods.keys()]))
        if (textOf(before.get(uid)) !== textOf(pods.get(uid))) onChange(uid);
    } catch (error) {
      logger.warn('the runtime cannot list its containers', { err: String(error) });
    }
  }
}

/** Writes the states of everything of a pod, to be compared. */
function textOf(pod: ListedPod | undefined): string {
  const items = [...(pod?.sandboxes ?? []), ...(pod?.containers ?? [])];
  return items
    .map(({ id, state }) => `${id} ${state}`)
    .sort()
    .join('\n');
}
