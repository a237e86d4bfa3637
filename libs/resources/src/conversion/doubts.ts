import type { Sent } from './sent-object.js';

/** Consecutive failures after which only whole chunks are sent again: a webhook that is down fails for everything. */
const PATIENCE = 2;
/** Times that an object is without an answer, alone and while others have theirs, before it is to blame. */
const BLAMED_AFTER = 3;
/** Objects that are remembered for that. */
const MOST_SUSPECTS = 256;
/** Bytes of an object that is asked for again only to see whether there is an answer. */
const MAX_SAMPLE_BYTES = 64 << 10;

/**
 * Distinguishes a webhook that is down from one that fails for single objects, as a program does that crashes or hangs
 * on them: if another object is answered right after, the webhook is up.
 */
export class Doubts {
  #failures = 0;
  #sample: Sent | undefined;
  /** How often each was without an answer. */
  readonly #suspects = new Map<string, number>();

  /** There were answers for all of these. */
  answered(sent: readonly Sent[]): void {
    this.#failures = 0;
    if (this.#suspects.size > 0) for (const one of sent) this.#suspects.delete(keyOf(one));
    const small = sent.find(({ text }) => text.length <= MAX_SAMPLE_BYTES);
    if (small) this.#sample = small;
  }

  /**
   * Whether there was none for these because of some of them.
   * @param isAnswered whether there is one for an object
   */
  async arises(sent: readonly Sent[], isAnswered: (sample: Sent) => Promise<boolean>): Promise<boolean> {
    if (this.#failures < PATIENCE) {
      this.#failures++;
      return false;
    }
    const [first, last] = [sent[0], sent.at(-1)];
    const samples = this.#sample ? [this.#sample] : first === last ? [] : [last, first];
    for (const sample of samples) {
      if (!sample || !(await isAnswered(sample))) continue;
      this.#sample ??= sample;
      return true;
    }
    return false;
  }

  /** Whether an object that was alone without an answer is to blame for it. */
  blames(sent: Sent): boolean {
    const key = keyOf(sent);
    const times = (this.#suspects.get(key) ?? 0) + 1;
    this.#suspects.delete(key);
    this.#suspects.set(key, times);
    for (const oldest of this.#suspects.keys()) {
      if (this.#suspects.size <= MOST_SUSPECTS) break;
      this.#suspects.delete(oldest);
    }
    return times >= BLAMED_AFTER;
  }
}

/** An object as it is: another text is mostly of another length. */
const keyOf = ({ object: { metadata }, text }: Sent): string => `${metadata?.uid} ${text.length}`;
