import type { ObjectFollower } from '@orch/informers';
import { StatusError } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { inParallel, LeaderRounds, type Leadership, onePage } from '@orch/runtime/work';
import type { NodeApprover } from './node-approver.js';
import type { RequestOutline } from './request-outline.js';
import type { RequestSigner } from './request-signer.js';

interface RequestControllerOptions {
  readonly leadership: Pick<Leadership, 'leads' | 'renew' | 'giveBack'>;
  readonly follower: Pick<ObjectFollower<RequestOutline>, 'objects' | 'version' | 'confirm' | 'onChange'>;
  readonly approver: Pick<NodeApprover, 'isDue' | 'approve'>;
  readonly signer: Pick<RequestSigner, 'isDue' | 'sign'>;
  /** Whether those that are of no use any more are removed. Default true. */
  readonly cleans?: boolean;
  /** Deletes a request if it is as it is known. @throws StatusError, StoreUnavailableError */
  remove(outline: RequestOutline): Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Requests that are worked on at a time. */
const AT_A_TIME = { items: 8, bytes: 8, sizeOf: () => 1 };
/** Milliseconds between two looks for requests that are of no use any more. */
const CLEAN_MS = 60_000;
/** Milliseconds until a request is tried again that could not be dealt with: twice as long each time. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 1_000_000;

/** When a request is tried again. */
interface Retry {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly after: number;
}

/**
 * Approves, signs and cleans away certificate requests, in one process at a time. One that cannot be dealt with keeps nobody from
 * the others, and is tried again.
 */
export class RequestController {
  readonly #clock: Clock;
  readonly #rounds: LeaderRounds;
  /** Names of requests that have changed since they were looked at. */
  readonly #changed = new Set<string>();
  readonly #retries = new Map<string, Retry>();
  #cleanAt = Number.NEGATIVE_INFINITY;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: RequestControllerOptions) {
    const { leadership, onError, clock = systemClock } = options;
    this.#clock = clock;
    const round = (isNew: boolean) => this.#round(isNew);
    this.#rounds = new LeaderRounds({ leadership, round, idle: () => this.#retries.clear(), onError, clock });
  }

  start(): void {
    const { follower, leadership } = this.options;
    this.#unsubscribe = follower.onChange((names) => {
      // Who comes to lead looks at all of them.
      if (!leadership.leads) return;
      for (const name of names) this.#changed.add(name);
      this.#rounds.ask();
    });
    this.#rounds.ask();
  }

  /** Looks at all requests again: others can be signed now. */
  lookAgain(): void {
    if (!this.options.leadership.leads) return;
    for (const name of this.options.follower.objects.keys()) this.#changed.add(name);
    this.#rounds.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#rounds.stop();
  }

  /** @returns milliseconds until a request is to be tried again */
  async #round(isNew: boolean): Promise<number> {
    if (this.options.follower.version !== undefined) {
      if (isNew) await this.#begin();
      await this.#carryOut(this.#due(), (outline) => this.#deal(outline));
      await this.#clean();
    }
    return this.#nextRetry();
  }

  /** What the one before has written is to be known. */
  async #begin(): Promise<void> {
    const { follower } = this.options;
    await follower.confirm();
    this.#retries.clear();
    for (const name of follower.objects.keys()) this.#changed.add(name);
  }

  /** Requests whose turn it is. */
  #due(): RequestOutline[] {
    const { follower, approver, signer } = this.options;
    const now = this.#clock.now();
    const again = [...this.#retries].filter(([, { at }]) => at <= now).map(([name]) => name);
    const names = new Set([...this.#changed, ...again]);
    this.#changed.clear();
    return [...names].flatMap((name) => {
      const outline = follower.objects.get(name);
      if (outline && (approver.isDue(outline) || signer.isDue(outline))) return [outline];
      this.#retries.delete(name);
      return [];
    });
  }

  async #deal(outline: RequestOutline): Promise<void> {
    const { approver, signer } = this.options;
    if (signer.isDue(outline)) await signer.sign(outline);
    else if (!(await approver.approve(outline))) return this.#tryAgain(outline);
    this.#retries.delete(outline.name);
  }

  async #clean(): Promise<void> {
    const { follower, now, remove, cleans = true } = this.options;
    if (!cleans || this.#clock.now() < this.#cleanAt) return;
    this.#cleanAt = this.#clock.now() + CLEAN_MS;
    const time = now();
    const old = [...follower.objects.values()].filter(({ removeAt }) => removeAt < time);
    await this.#carryOut(old, remove);
  }

  /** What fails of one request keeps nobody from the others. */
  async #carryOut(
    outlines: readonly RequestOutline[],
    work: (outline: RequestOutline) => Promise<void>,
  ): Promise<void> {
    await inParallel(onePage(outlines), AT_A_TIME, async (outline) => {
      if (!this.options.leadership.leads || this.#rounds.isStopped) return;
      await work(outline).catch((error: unknown) => this.#failed(outline, error));
    });
  }

  /** Somebody who was faster is heard of. */
  #failed(outline: RequestOutline, error: unknown): void {
    const isOvertaken = error instanceof StatusError && (error.code === 404 || error.code === 409);
    if (!isOvertaken) this.options.onError(error);
    this.#tryAgain(outline);
  }

  #tryAgain({ name }: RequestOutline): void {
    const { after } = this.#retries.get(name) ?? { after: FIRST_RETRY_MS };
    this.#retries.set(name, { at: this.#clock.now() + after, after: Math.min(2 * after, LONGEST_RETRY_MS) });
  }

  #nextRetry(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#retries.values()) next = Math.min(next, at);
    return Math.max(0, next - this.#clock.now());
  }
}
