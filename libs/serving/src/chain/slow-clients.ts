import type { Clock } from '@orch/runtime';
import { type Bounds, SharedBound } from '@orch/runtime/work';

/** Bounds on what may wait for clients, in a process and for one user. 0 is no bound. */
export interface SlowClientLimits {
  /** Requests whose body has not arrived completely, or which have not been authorized yet. */
  readonly bodies: Bounds;
  /** Requests without a seat whose client does not read the response. */
  readonly answers: Bounds;
  /** Bytes of these responses in memory. */
  readonly answerBytes: Bounds;
}

/** A request that holds a seat. */
export interface SeatedRequest {
  /** Name of the user whose bounds it counts towards. */
  readonly user: string;
  /** Bytes that wait for the client if the request waits for nothing but its client; undefined while it is executed. */
  waiting(): number | undefined;
  /** Releases its seat; calling it again does nothing. */
  giveBack(): void;
  /** Closes the request, as no more requests may wait. */
  cut(): void;
}

/** A request whose seat is observed. */
interface Followed {
  readonly request: SeatedRequest;
  /** Number of consecutive checks at which it waited for its client. */
  looks: number;
  /** Bytes that it contributes to the waiting responses; undefined while it holds its seat. */
  bytes: number | undefined;
}

/** Milliseconds between two checks of the requests that hold seats. */
const CHECK_MS = 100;
/** Consecutive checks after which a seat is released, and after which a request is closed if no more may wait. */
const PATIENT_CHECKS = 2;
const LAST_CHECK = 10;

/**
 * Takes seats from requests that wait for their client: after a moment such a request gives its seat back and counts as
 * waiting, which is bounded for each user. There is one instance per process.
 */
export class SlowClients {
  /** Counts requests whose body has not been received completely; they have no seat yet. */
  readonly bodies: SharedBound;
  /** Counts requests whose client does not read the response. */
  readonly answers: SharedBound;
  /** Counts the bytes of responses that clients have not read. */
  readonly answerBytes: SharedBound;
  readonly #seated = new Set<Followed>();
  #isLooking = false;

  constructor(
    { bodies, answers, answerBytes }: SlowClientLimits,
    /** Clock that decides when a client counts as slow. */
    readonly clock: Clock,
  ) {
    this.bodies = new SharedBound(bodies);
    this.answers = new SharedBound(answers);
    this.answerBytes = new SharedBound(answerBytes);
  }

  /** Whether a user may have one more response that waits. */
  hasRoom(user: string): boolean {
    return this.#fits(user, 1);
  }

  /** Observes a request that has just taken its seat. @returns function to call once the request is over */
  follow(request: SeatedRequest): () => void {
    const followed: Followed = { request, looks: 0, bytes: undefined };
    this.#seated.add(followed);
    this.#lookLater();
    return () => this.#forget(followed);
  }

  #fits(user: string, bytes: number): boolean {
    return this.answers.fitsApart(user, 1) && this.answerBytes.fitsApart(user, bytes);
  }

  #forget(followed: Followed): void {
    this.#seated.delete(followed);
    const { request, bytes } = followed;
    if (bytes === undefined) return;
    followed.bytes = undefined;
    this.answers.give(request.user, 1);
    this.answerBytes.give(request.user, bytes);
  }

  #lookLater(): void {
    if (this.#isLooking || this.#seated.size === 0) return;
    this.#isLooking = true;
    this.clock.after(CHECK_MS, () => {
      this.#isLooking = false;
      for (const followed of this.#seated) this.#look(followed);
      this.#lookLater();
    });
  }

  #look(followed: Followed): void {
    const { request } = followed;
    const bytes = request.waiting();
    followed.looks = bytes === undefined ? 0 : followed.looks + 1;
    if (bytes === undefined || followed.looks < PATIENT_CHECKS) return;
    if (this.#fits(request.user, bytes)) this.#letWait(followed, bytes);
    else if (followed.looks >= LAST_CHECK) {
      this.#seated.delete(followed);
      request.cut();
    }
  }

  /** From now on the request counts towards the bounds on unread responses instead of holding a seat. */
  #letWait(followed: Followed, bytes: number): void {
    const { request } = followed;
    this.#seated.delete(followed);
    followed.bytes = bytes;
    this.answers.take(request.user, 1);
    this.answerBytes.take(request.user, bytes);
    request.giveBack();
  }
}
