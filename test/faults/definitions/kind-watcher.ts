import type { Api } from '../../support/api.js';
import type { WatchEvent, WatchStream } from '../../support/watch-stream.js';
import { printOf, readState, type WireObject } from '../model/object-state.js';
import type { Random } from '../random.js';
import { mayPass, rest, type Server, type Traffic } from '../traffic/context.js';
import { list } from '../traffic/lister.js';
import { RunningLife } from '../traffic/watcher.js';
import { type ChangingKind, VERSIONS } from './changing-kind.js';

/** A process of the system, asked directly. */
export interface Direct extends Server {
  readonly api: Api;
}

/** A watch request that was accepted. */
export interface Stream {
  readonly watcher: string;
  readonly definition: string;
  readonly server: string;
  /** Monotonic ms; `ended` undefined where it was still open at the end of the run. */
  readonly opened: number;
  readonly ended: number | undefined;
  /** Whether its last piece came. */
  readonly isWhole: boolean;
}

/** Watches a custom kind for as long as the run lasts: over as many requests as it takes, each at another server. */
export class KindWatcher {
  readonly lives: RunningLife[] = [];
  readonly streams: Stream[] = [];
  readonly failures: string[] = [];

  constructor(
    private readonly id: string,
    readonly kind: ChangingKind,
    private readonly traffic: Traffic,
    private readonly servers: readonly Direct[],
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const life = await this.#begin(signal);
      if (life === undefined) return;
      this.lives.push(life);
      while (!signal.aborted && (await this.#request(life, signal))) await rest(this.random.between(10, 150), signal);
    }
  }

  /** Begins with a list, which there is only while there is a definition. */
  async #begin(signal: AbortSignal): Promise<RunningLife | undefined> {
    const plan = { id: this.id, kind: this.kind.name, selection: {} };
    while (!signal.aborted) {
      const settings = {
        ...plan,
        client: this.id,
        asked: 'recent',
        ref: this.kind.ref(this.random.pick(VERSIONS)),
      } as const;
      const answer = await list(this.traffic, this.random.pick(this.servers), settings).catch((error) => {
        if (error.code !== 404) this.failures.push(`a list of ${this.kind.name} failed: ${error}`);
        if (error.code !== 404 && !mayPass(error)) throw error;
        return undefined;
      });
      if (answer) {
        this.traffic.lists.push(answer);
        return new RunningLife(plan, this.traffic, { mode: 'list', version: answer.version }, answer);
      }
      await rest(this.random.between(20, 200), signal);
    }
    return undefined;
  }

  /** Makes one watch request. Returns false when the watcher's life is over. */
  async #request(life: RunningLife, signal: AbortSignal): Promise<boolean> {
    const server = this.random.pick(this.servers);
    const query = `watch=1&resourceVersion=${life.version}&allowWatchBookmarks=true`;
    const path = `${this.kind.objects(this.random.pick(VERSIONS))}?${query}`;
    const stream = await server.api.watch(path).catch((error) => {
      this.failures.push(`a watch of ${this.kind.name} failed: ${error}`);
    });
    if (!stream) return true;
    if (stream.status !== 200) return this.#refused(life, stream);
    const opened = performance.now();
    const close = () => stream.close();
    signal.addEventListener('abort', close, { once: true });
    let goesOn = true;
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (signal.aborted) break;
      if (event.type !== 'ERROR') this.#receive(life, event);
      else goesOn = this.#note(life, event.object.code, event.object.message, true);
    }
    signal.removeEventListener('abort', close);
    const ended = signal.aborted ? undefined : performance.now();
    const { id: watcher, kind } = this;
    this.streams.push({ watcher, definition: kind.name, server: server.name, opened, ended, isWhole: stream.isWhole });
    return goesOn;
  }

  /** Handles a refusal: a kind that is not served may be served again later. */
  async #refused(life: RunningLife, stream: WatchStream): Promise<boolean> {
    const { code = stream.status, message = '' } = await stream.refusal();
    stream.close();
    return code === 404 || this.#note(life, code, message, false);
  }

  #note(life: RunningLife, code: number, message: string, ended: boolean): boolean {
    life.refusals.push({ code, message, after: life.version, ended, outside: 0, at: performance.now() });
    return code !== 410;
  }

  #receive(life: RunningLife, { type, object }: WatchEvent): void {
    if (type === 'ERROR') return;
    const version = Number(object.metadata.resourceVersion);
    const now = performance.now();
    life.entries.push(
      type === 'BOOKMARK' ? -version : life.events.add(type, version, printOf(readState(object as WireObject)), now),
    );
    life.version = version;
    life.highest = Math.max(life.highest, version);
    if (type !== 'BOOKMARK') this.traffic.learn(life.kind, version);
  }
}
