/** What is known of rounds of one kind: averages in which the newest count most. */
interface Rounds {
  /** Requests that begin in one. */
  begun: number;
  /** Milliseconds that one takes. */
  length: number;
}

/** Of a request before anything is known, milliseconds. */
const EXPECTED = 0.1;
/** What a round counts for in the averages, at least; a longer one counts for more, so that nobody waits long until it is known what is dear. */
const NEWEST = 0.01;
const NEWEST_PER_MS = 0.01;
/** Milliseconds beyond which a round tells of something else: the process has stood still. */
const LONGEST = 20;
/** A request is taken to cost this part at least of what a round takes for each, and so many milliseconds. */
const LEAST = 0.1;
const LEAST_MS = 0.001;
/** Of so many rounds the last ones are trials: what one costs shows some rounds after it has begun. */
const [PERIOD, TRIALS] = [48, 8];

/**
 * What rounds of an event loop take for themselves, and for each request that begins in them. Most of what a request takes is in later rounds
 * than the one in which it begins, and rounds may be long for other reasons. So where they are long, some more begin in a few of them every now
 * and then, and the difference tells.
 */
export class RoundCosts {
  readonly #usual: Rounds = { begun: 1, length: EXPECTED };
  readonly #trial: Rounds = { begun: 2, length: 2 * EXPECTED };
  #count = 0;

  /** @param longMs rounds that take longer are long */
  constructor(private readonly longMs: number) {}

  /** Milliseconds that a round takes for each request that begins in it, all that it does for other reasons among them. */
  get average(): number {
    return Math.max(LEAST_MS, this.#usual.length / this.#usual.begun);
  }

  /** Whether rounds are long. */
  get areLong(): boolean {
    return this.#usual.length > this.longMs;
  }

  /** Milliseconds that one more request takes; known where rounds have been long for a while. */
  get each(): number {
    const [usual, trial, most] = [this.#usual, this.#trial, this.average];
    const found = (trial.length - usual.length) / (trial.begun - usual.begun);
    return trial.begun > usual.begun ? Math.max(LEAST * most, Math.min(most, found)) : most;
  }

  /** Milliseconds that a round takes in which none begins; as above. */
  get others(): number {
    return Math.max(0, this.#usual.length - this.each * this.#usual.begun);
  }

  /** Requests that are to begin in the next round, where it should be so many. */
  wanted(usually: number): number {
    return this.#isTrial && this.areLong ? usually + Math.ceil(usually / 2) : usually;
  }

  /** A round in which so many have begun has taken so long. */
  note(begun: number, length: number): void {
    const kind = this.#isTrial && this.areLong ? this.#trial : this.#usual;
    const told = Math.min(length, LONGEST);
    const weight = Math.max(NEWEST, NEWEST_PER_MS * told);
    kind.begun += weight * (begun - kind.begun);
    kind.length += weight * (told - kind.length);
    this.#count = (this.#count + 1) % PERIOD;
  }

  get #isTrial(): boolean {
    return this.#count >= PERIOD - TRIALS;
  }
}
