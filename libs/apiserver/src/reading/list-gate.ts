import { tooManyRequests } from '@orch/machinery';

/** Seconds after which a client may ask again. */
const RETRY_SECONDS = 1;

export interface ListPlaces {
  readonly inAll: number;
  /** Of one user at a time. */
  readonly perUser: number;
}

export interface ListGateStats {
  readonly reading: number;
  readonly waiting: number;
}

/**
 * Lets so many lists read from the database at a time, each of which holds a connection while it reads. The others wait: by
 * turns of their users, and those of one user in the order of their coming.
 */
export class ListGate {
  #free: number;
  #waitingLists = 0;
  readonly #perUser: number;
  readonly #inAll: number;
  readonly #inside = new Map<string, number>();
  /** By user; whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param patience milliseconds that a list waits before it is refused */
  constructor(
    { inAll, perUser }: ListPlaces,
    private readonly patience: number,
  ) {
    this.#inAll = inAll;
    this.#free = inAll;
    this.#perUser = Math.max(1, perUser);
  }

  /** Whether somebody waits for a place. */
  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  /** Lists that read now, and that wait for a place. */
  stats(): ListGateStats {
    return { reading: this.#inAll - this.#free, waiting: this.#waitingLists };
  }

  /**
   * Resolves with what lets the next one in; calling it again does nothing.
   * @param user whose list it is; the server's own lists count as one user's
   * @throws StatusError 429
   */
  async enter(user = ''): Promise<() => void> {
    if (this.#mayEnter(user)) this.#admit(user);
    else await this.#turn(user);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(user);
    };
  }

  #mayEnter(user: string): boolean {
    return this.#free > 0 && (this.#inside.get(user) ?? 0) < this.#perUser;
  }

  #admit(user: string): void {
    this.#free--;
    this.#inside.set(user, (this.#inside.get(user) ?? 0) + 1);
  }

  #leave(user: string): void {
    this.#free++;
    const inside = (this.#inside.get(user) ?? 1) - 1;
    if (inside > 0) this.#inside.set(user, inside);
    else this.#inside.delete(user);
    const next = [...this.#waiting].find(([waiting]) => this.#mayEnter(waiting));
    if (!next) return;
    const [[admitted]] = [next[1]];
    admitted?.();
  }

  #turn(user: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = () => {
        this.#waitingLists--;
        clearTimeout(timer);
        const others = this.#waiting.get(user);
        others?.delete(admitted);
        if (others?.size === 0) this.#waiting.delete(user);
      };
      const admitted = () => {
        forget();
        this.#moveBehind(user);
        this.#admit(user);
        resolve();
      };
      const timer = setTimeout(() => {
        forget();
        reject(tooManyRequests('too many lists are being read from the database', RETRY_SECONDS));
      }, this.patience);
      this.#waitingLists++;
      this.#waiting.set(user, (this.#waiting.get(user) ?? new Set()).add(admitted));
    });
  }

  /** Who has had a turn comes behind the others. */
  #moveBehind(user: string): void {
    const waiting = this.#waiting.get(user);
    if (!waiting) return;
    this.#waiting.delete(user);
    this.#waiting.set(user, waiting);
  }
}
