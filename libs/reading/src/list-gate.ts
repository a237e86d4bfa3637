import { tooManyRequests } from '@orch/machinery';
import { dueTo } from '@orch/resources';
import { UserTurns } from './user-turns.js';

/** Seconds after which a client may retry. */
const RETRY_SECONDS = 1;
/** Factor by which a list waits longer that has begun: its client expects the rest. */
const BEGUN_PATIENCE = 2;

interface ListPlaces {
  readonly inAll: number;
  /** Maximum number of concurrent lists of one user. */
  readonly perUser: number;
}

interface ListGateStats {
  readonly reading: number;
  readonly waiting: number;
}

/** Whether a list is a new one, or a continuation of one that has begun. */
type Stage = 'new' | 'begun';

/** Options of {@link ListGate.enter}. */
export interface Entrance {
  /** Default: `new`. */
  readonly stage?: Stage;
  /** Aborts when the list is not wanted any more, which then stops waiting. */
  readonly over?: AbortSignal | undefined;
}

/**
 * Lets a limited number of lists read from the database at a time, each of which holds a connection while it reads. The
 * others wait: users take turns, and lists of one user are in order of arrival. Lists that have begun have a queue of
 * their own, and every other place: they neither fail in the middle because of new ones, nor keep these out.
 */
export class ListGate {
  #free: number;
  readonly #perUser: number;
  readonly #inAll: number;
  readonly #inside = new Map<string, number>();
  readonly #waiting: Readonly<Record<Stage, UserTurns>> = { new: new UserTurns(), begun: new UserTurns() };
  /** Queue that is offered the next free place first. */
  #offeredFirst: Stage = 'begun';

  /** @param patience milliseconds that a new list may wait before it is refused */
  constructor(
    { inAll, perUser }: ListPlaces,
    private readonly patience: number,
  ) {
    this.#inAll = inAll;
    this.#free = inAll;
    this.#perUser = Math.max(1, perUser);
  }

  /** Whether a waiting list could use the place that a list of a user would give back. */
  isWantedFrom(user = ''): boolean {
    const mayEnter = (other: string) => this.#insideOf(other) - (other === user ? 1 : 0) < this.#perUser;
    return this.#waiting.new.has(mayEnter) || this.#waiting.begun.has(mayEnter);
  }

  /** Returns the number of lists that are reading, and of those that wait for a place. */
  stats(): ListGateStats {
    return { reading: this.#inAll - this.#free, waiting: this.#waiting.new.size + this.#waiting.begun.size };
  }

  /**
   * Resolves with the function that frees the place; calling it again does nothing.
   * @param user user that lists; the server's own lists count as those of one user
   * @throws StatusError 429; the reason of `over`
   */
  async enter(user = '', { stage = 'new', over }: Entrance = {}): Promise<() => void> {
    over?.throwIfAborted();
    if (this.#mayEnter(user)) this.#admit(user);
    else await this.#turn(user, stage, over);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(user);
    };
  }

  #insideOf(user: string): number {
    return this.#inside.get(user) ?? 0;
  }

  #mayEnter(user: string): boolean {
    return this.#free > 0 && this.#insideOf(user) < this.#perUser;
  }

  #admit(user: string): void {
    this.#free--;
    this.#inside.set(user, this.#insideOf(user) + 1);
  }

  #leave(user: string): void {
    this.#free++;
    const inside = this.#insideOf(user) - 1;
    if (inside > 0) this.#inside.set(user, inside);
    else this.#inside.delete(user);
    const mayEnter = (waiting: string) => this.#mayEnter(waiting);
    const first = this.#offeredFirst;
    const second = first === 'new' ? 'begun' : 'new';
    this.#offeredFirst = second;
    const admitted = this.#waiting[first].next(mayEnter) ?? this.#waiting[second].next(mayEnter);
    admitted?.();
  }

  #turn(user: string, stage: Stage, over: AbortSignal | undefined): Promise<void> {
    const waiting = this.#waiting[stage];
    return new Promise((resolve, reject) => {
      const forget = () => {
        clearTimeout(timer);
        over?.removeEventListener('abort', leave);
        waiting.delete(user, admitted);
      };
      const admitted = () => {
        forget();
        this.#admit(user);
        resolve();
      };
      const leave = () => {
        forget();
        reject(over?.reason);
      };
      const late = () => {
        forget();
        reject(dueTo('lists', tooManyRequests('too many lists are being read from the database', RETRY_SECONDS)));
      };
      const timer = setTimeout(late, this.patience * (stage === 'begun' ? BEGUN_PATIENCE : 1));
      over?.addEventListener('abort', leave, { once: true });
      waiting.add(user, admitted);
    });
  }
}
