import { type Following, FollowingEndedError, type OrderedFeed } from '@orch/feed';
import { type Clock, systemClock } from '@orch/runtime';
import type { Change, ChangeSource, Key, Row, TypeId, Version } from '@orch/storage';
import { Slices } from '../decoding/turns.js';

/** An object as a snapshot or a change tells it. */
export type FollowedRow = Row;

export interface ObjectFollowerOptions<T> {
  readonly source: Pick<ChangeSource, 'snapshot'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly type: TypeId;
  /** What is known of an object from now on. What it throws is told, and the object is not known. */
  read(row: FollowedRow, before: T | undefined): T;
  /** Hears what could not be read; loading is tried again. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/**
 * What an object is known by: its name, behind the namespace that it lies in (`namespace/name`), as names that could be taken for
 * another hold a slash.
 */
export const followedName = ({ namespace, name }: Key): string => (namespace === '' ? name : `${namespace}/${name}`);

/** Names of the objects that have changed, have come or have gone. */
export type ChangedNames = ReadonlySet<string>;

const MIN_BACKOFF = 100;
const MAX_BACKOFF = 5_000;

/** All objects of a type as the feed tells them: loaded from a snapshot, kept by the changes since, and loaded anew where these break off. */
export class ObjectFollower<T> {
  readonly #clock: Clock;
  readonly #listeners = new Set<(changed: ChangedNames) => void>();
  #known = new Map<string, T>();
  #version: Version | undefined;
  #following: Following | undefined;
  #loading: Promise<void> | undefined;
  /** What has been heard of and is not known yet, in order. */
  #heard: Change[] = [];
  /** Set while others have their turn before the next of it. */
  #noting: Promise<void> | undefined;
  #stopped = false;
  #wakeBackoff = (): void => undefined;

  constructor(private readonly options: ObjectFollowerOptions<T>) {
    this.#clock = options.clock ?? systemClock;
  }

  /** What is known, by {@link followedName}; changes in place. */
  get objects(): ReadonlyMap<string, T> {
    return this.#known;
  }

  /** Which state of them that is; undefined before it is first loaded. */
  get version(): Version | undefined {
    return this.#version;
  }

  /**
   * When it was last known to miss nothing, monotonic milliseconds; undefined where it is not, as it is being loaded, or has heard of
   * changes that are still to be read.
   */
  get confirmedAt(): number | undefined {
    return this.#noting ? undefined : this.#following?.confirmedAt;
  }

  /** Begins to follow. Resolves when all are known, however long that takes, or it is stopped. */
  start(): Promise<void> {
    return this.#load();
  }

  stop(): void {
    this.#stopped = true;
    this.#wakeBackoff();
    this.#following?.close();
  }

  /** Hears of every change, and of a state that was loaded anew. @returns what ends it */
  onChange(listener: (changed: ChangedNames) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when everything is known that was committed before the call, with the version of it.
   * @throws StoreUnavailableError; FollowingEndedError when it is stopped
   */
  async confirm(): Promise<Version> {
    for (;;) {
      await this.#loading;
      const following = this.#following;
      if (this.#stopped || !following) throw new FollowingEndedError('objects are not followed');
      try {
        const version = await following.confirm();
        while (this.#noting) await this.#noting;
        // What was heard and not yet known is forgotten where all is loaded anew.
        if (this.#following === following) return version;
      } catch (error) {
        if (!(error instanceof FollowingEndedError) || this.#stopped) throw error;
      }
    }
  }

  #load(): Promise<void> {
    this.#loading ??= this.#tryToLoad().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Never rejects. */
  async #tryToLoad(): Promise<void> {
    for (let backoff = MIN_BACKOFF; !this.#stopped; backoff = Math.min(backoff * 2, MAX_BACKOFF)) {
      try {
        return await this.#loadOnce();
      } catch (error) {
        this.options.onError(error);
        await this.#pause(backoff);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wakeBackoff = () => {
        cancel();
        resolve();
      };
    });
  }

  async #loadOnce(): Promise<void> {
    const { source, feed, type } = this.options;
    const { version, pages } = await source.snapshot({ type });
    const loaded = new Map<string, T>();
    const slices = new Slices();
    for await (const page of pages) {
      for (const row of page) {
        this.#note(loaded, row);
        await slices.between();
      }
    }
    if (this.#stopped) return;
    const changed = new Set([...this.#known.keys(), ...loaded.keys()]);
    this.#known = loaded;
    this.#version = version;
    this.#following = feed.follow(type, version, {
      changes: (changes) => this.#changed(changes),
      confirmed: () => undefined,
      reset: () => this.#reset(),
    });
    this.#tell(changed);
  }

  #changed(changes: readonly Change[]): void {
    this.#heard = [...this.#heard, ...changes];
    if (!this.#noting) this.#noteHeard();
  }

  /** Takes turns with others: many large objects that change at once take long to read. */
  #noteHeard(): void {
    const slices = new Slices();
    const names = new Set<string>();
    for (const [at, change] of this.#heard.entries()) {
      const pause = slices.between();
      if (pause) {
        this.#heard = this.#heard.slice(at);
        this.#noting = pause.then(() => {
          this.#noting = undefined;
          if (!this.#stopped) this.#noteHeard();
        });
        break;
      }
      const name = followedName(change);
      if (change.op === 'delete') this.#known.delete(name);
      else this.#note(this.#known, change);
      this.#version = change.version;
      names.add(name);
    }
    if (!this.#noting) this.#heard = [];
    if (names.size > 0) this.#tell(names);
  }

  /** What cannot be read is not known: the others are not to suffer. */
  #note(known: Map<string, T>, row: FollowedRow): void {
    const name = followedName(row);
    try {
      known.set(name, this.options.read(row, this.#known.get(name)));
    } catch (error) {
      known.delete(name);
      this.options.onError(error);
    }
  }

  /** What was known stays until all is known anew. */
  #reset(): void {
    this.#following = undefined;
    this.#heard = [];
    void this.#load();
  }

  #tell(changed: ChangedNames): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}
