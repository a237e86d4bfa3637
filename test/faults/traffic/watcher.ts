import { ApiError, endsInitialEvents, type WatchEvent } from '@orch/client';
import { type Kind, keyOf, printOf, readState, type WireObject } from '../model/object-state.js';
import type { Life, LifeStart, List, Refusal } from '../model/records.js';
import { selectorsOf } from '../model/selection.js';
import type { Random } from '../random.js';
import type { Violation } from '../validators/violation.js';
import { isRefusal, mayPass, refOf, rest, type Server, type Traffic } from './context.js';
import { list } from './lister.js';
import type { WatchPlan } from './watch-plan.js';

/** How long a watcher may be without the list that it begins with, ms. */
const BEGIN_MS = 120_000;

/** A life as it is lived. */
export class RunningLife<K extends string = string> implements Life {
  readonly watcher: string;
  readonly kind: K;
  readonly selection: Life['selection'];
  readonly events: Life['events'];
  readonly entries: number[] = [];
  readonly refusals: Refusal[] = [];
  initialEnd: number | undefined;
  lasted = false;
  /** From where it can be resumed; undefined while only a new start helps. */
  version: number | undefined;
  /** The highest version of anything received. */
  highest: number;

  constructor(
    plan: Pick<WatchPlan, 'id' | 'selection'> & { readonly kind: K },
    traffic: Traffic,
    readonly start: LifeStart,
    /** The list that it began with. */
    readonly list?: List,
  ) {
    this.watcher = plan.id;
    this.kind = plan.kind;
    this.selection = plan.selection;
    this.events = traffic.events(plan.kind);
    this.version = start.mode === 'list' ? start.version : undefined;
    this.highest = this.version ?? 0;
  }
}

/** A watcher. It resumes from its last version after any failure, and starts anew if that is impossible. */
export class Watcher {
  readonly lives: RunningLife<Kind>[] = [];
  readonly violations: Violation[] = [];
  #requests = 0;
  /** Monotonic ms since when it has been refused; undefined while it is not. */
  #outsideSince: number | undefined;

  constructor(
    readonly plan: WatchPlan,
    private readonly traffic: Traffic,
    private readonly random: Random,
  ) {}

  get requests(): number {
    return this.#requests;
  }

  get current(): RunningLife<Kind> | undefined {
    return this.lives.at(-1);
  }

  /** @param calm aborts when nobody writes any more: nobody begins anew from then on without need */
  async run(signal: AbortSignal, calm: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const life = await this.#begin(signal);
      if (life === undefined) return;
      this.lives.push(life);
      while (!signal.aborted) {
        const goesOn = await this.#request(life, signal);
        if (!goesOn) break;
        await this.#betweenRequests(signal);
        if (this.plan.forgets && !calm.aborted) break;
      }
    }
  }

  /** Undefined when the run ends first, or there is no list to be had. */
  async #begin(signal: AbortSignal): Promise<RunningLife<Kind> | undefined> {
    const { plan, traffic, random } = this;
    const { kind, selection, beginning } = plan;
    const known = traffic.known(kind);
    if (beginning === 'unset') return new RunningLife(plan, traffic, { mode: 'legacy', known });
    if (beginning === 'any') return new RunningLife(plan, traffic, { mode: 'legacy', known: 0 });
    if (beginning === 'stream') return new RunningLife(plan, traffic, { mode: 'stream', known });
    const asked = beginning === 'list' ? 'recent' : 'any';
    const giveUpAt = performance.now() + BEGIN_MS;
    while (!signal.aborted) {
      try {
        const answer = await list(traffic, this.#server(), { kind, selection, client: plan.id, asked });
        traffic.lists.push(answer);
        return new RunningLife(plan, traffic, { mode: 'list', version: answer.version }, answer);
      } catch (error) {
        if (isRefusal(error) || !mayPass(error)) throw error;
        if (performance.now() > giveUpAt) {
          const message = `${plan.id} was given no list of ${kind} for ${BEGIN_MS} ms: ${error}`;
          this.violations.push({ rule: 'V2.refused', message });
          return undefined;
        }
      }
      await rest(random.between(50, 500), signal);
    }
    return undefined;
  }

  #server(): Server {
    return this.plan.direct ? this.random.pick(this.traffic.direct) : this.traffic.balanced;
  }

  /** Makes one watch request. Returns false when the watcher's life is over. */
  async #request(life: RunningLife<Kind>, signal: AbortSignal): Promise<boolean> {
    this.#requests++;
    const { client } = this.#server();
    const ref = refOf(life.kind, life.selection.namespace);
    const before = life.entries.length;
    try {
      for await (const event of client.openWatch<WireObject>(ref, this.#query(life), signal)) {
        this.#outsideSince = undefined;
        this.#receive(life, event);
        if (this.plan.stalls && this.random.chance(0.002)) await rest(this.random.between(2_000, 6_000), signal);
      }
      this.#outsideSince = undefined;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof ApiError) && !mayPass(error)) throw error;
      if (error instanceof ApiError) {
        const at = performance.now();
        this.#outsideSince ??= at;
        const outside = at - this.#outsideSince;
        const { code, message } = error;
        const ended = life.entries.length > before;
        life.refusals.push({ code, message, after: life.version, ended, outside, at });
        if (isRefusal(error)) {
          await rest(this.random.between(100, 500), signal);
          return false;
        }
      }
    }
    return life.version !== undefined;
  }

  #query(life: RunningLife<Kind>) {
    const { plan, random } = this;
    const common = {
      ...selectorsOf(life.selection),
      timeoutSeconds: plan.forgets ? random.between(2, 8) : random.between(5, 40),
      ...((plan.bookmarks || life.start.mode === 'stream') && { allowWatchBookmarks: true }),
    };
    if (life.version !== undefined) return { ...common, resourceVersion: life.version };
    if (plan.beginning === 'any') return { ...common, resourceVersion: '0' };
    if (plan.beginning === 'unset') return common;
    return { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  }

  #receive(life: RunningLife<Kind>, event: WatchEvent<WireObject>): void {
    const version = Number(event.object.metadata?.resourceVersion);
    life.highest = Math.max(life.highest, version);
    if (event.type === 'BOOKMARK') {
      if (endsInitialEvents(event, this.traffic.balanced.client.names)) life.initialEnd ??= life.entries.length;
      life.entries.push(-version);
      life.version = version;
      return;
    }
    const state = readState(event.object as WireObject);
    life.entries.push(life.events.add(event.type, version, printOf(state), performance.now()));
    this.traffic.learn(life.kind, version);
    // Before a bookmark or a change, what comes may still be the state, which is in the order of keys.
    if (life.version !== undefined || (event.type !== 'ADDED' && life.start.mode === 'legacy')) life.version = version;
    if (keyOf(state) === '/') throw new Error(`an event without an object: ${JSON.stringify(event)}`);
  }

  async #betweenRequests(signal: AbortSignal): Promise<void> {
    const { random } = this;
    const away = this.plan.sleeps && random.chance(0.5) ? random.between(1_000, 8_000) : random.between(20, 300);
    await rest(away, signal);
  }
}
