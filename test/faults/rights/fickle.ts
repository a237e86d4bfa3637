import { setTimeout as pause } from 'node:timers/promises';
import { Api, type ApiObject } from '../../support/api.js';
import type { WatchStream } from '../../support/watch-stream.js';
import type { Stage } from '../stage/stage.js';
import type { RightsChange, WatchRecord } from '../validators/rights.js';

/** Between a refusal and the next attempt, as clients back off: more often would be a load of its own. */
const AGAIN_MS = 500;

/** A watch that is begun again whenever it has ended or was refused, and everything that came of it. */
export class FickleWatch {
  readonly records: WatchRecord[] = [];
  /** Status of the last answered attempt, the time it began, and the number of events in all. */
  status = 0;
  asked = 0;
  received = 0;
  readonly #api: Api;
  readonly #running: Promise<void>;
  #stream: WatchStream | undefined;
  #ended = false;

  constructor(
    { cluster }: Stage,
    private readonly where: string,
    token: string,
    private readonly path: string,
  ) {
    this.#api = new Api({ url: where, ca: cluster.ca, token });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#stream?.close();
    await this.#running;
    this.#api.close();
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      const begun = performance.now();
      const stream = await this.#api.watch(this.path).catch(() => undefined);
      const record = { where: this.where, begun, answered: performance.now(), status: stream?.status ?? 0 };
      this.#stream = stream;
      [this.status, this.asked] = [record.status, begun];
      if (stream?.status === 200) this.records.push({ ...record, ...(await this.#read(stream, begun)) });
      else {
        this.records.push({ ...record, events: [] });
        stream?.close();
        await pause(AGAIN_MS);
      }
    }
  }

  async #read(stream: WatchStream, begun: number): Promise<Pick<WatchRecord, 'events' | 'end'>> {
    if (this.#ended) stream.close();
    const events: { sent: number; at: number }[] = [];
    let code: number | undefined;
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (event.type === 'ERROR') code = event.object.code;
      else {
        this.received++;
        events.push({ sent: Math.max(begun, sentAt(event.object)), at: performance.now() });
      }
    }
    return { events, ...(!this.#ended && { end: { at: performance.now(), code, whole: stream.isWhole } }) };
  }
}

/** Returns when an object was written. Objects that exist when a watch begins count as written then. */
const sentAt = ({ data }: ApiObject): number => Number(data?.sent ?? 0);

/** Somebody whose rights come and go, with a watch at each of some servers. */
export class Fickle {
  readonly changes: RightsChange[] = [];
  readonly watches: readonly FickleWatch[];
  bound = true;

  constructor(
    stage: Stage,
    readonly user: string,
    urls: readonly string[],
    path: string,
    private readonly rights: { take(): Promise<void>; give(): Promise<void> },
  ) {
    this.watches = urls.map((url) => new FickleWatch(stage, url, user, path));
  }

  /** Takes what it has, or gives what it lacks. */
  async change(): Promise<void> {
    const begun = performance.now();
    await (this.bound ? this.rights.take() : this.rights.give());
    this.changes.push({ kind: this.bound ? 'taken' : 'given', begun, answered: performance.now() });
    this.bound = !this.bound;
  }

  /** Whether each of its watches was answered with this last, and asked for after the last change. */
  stands(status: 200 | 403): boolean {
    const since = status === 403 ? (this.changes.at(-1)?.answered ?? 0) : 0;
    return this.watches.every((watch) => watch.status === status && watch.asked >= since);
  }

  get received(): number {
    return this.watches.reduce((sum, { received }) => sum + received, 0);
  }

  get records(): WatchRecord[] {
    return this.watches.flatMap(({ records }) => records);
  }

  async stop(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.stop()));
  }
}
