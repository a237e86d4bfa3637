import type { Sent } from './sent-object.js';

/** Consecutive failures after which only whole chunks are sent again: a webhook that is down fails for everything. */
const PATIENCE = 2;
/** Number of calls that fail for an object alone, while others succeed, until the object is held responsible. */
const BLAMED_AFTER = 3;
/** Number of objects whose failures are remembered. */
const MOST_SUSPECTS = 256;
/** Maximum bytes of an object that is sent again only to test whether the webhook responds. */
const MAX_SAMPLE_BYTES = 64 << 10;

/**
 * Distinguishes a webhook that is down from one that fails for single objects, as a program does that crashes or hangs
 * on them: if another object is answered right after, the webhook is up.
 */
export class FailureAttribution {
  #failures = 0;
  #sample: Sent | undefined;
  /** Number of failed calls by object. */
  readonly #suspects = new Map<string, number>();

  /** Records that a call with these objects has succeeded. */
  answered(sent: readonly Sent[]): void {
    this.#failures = 0;
    if (this.#suspects.size > 0) for (const one of sent) this.#suspects.delete(keyOf(one));
    const small = sent.find(({ text }) => text.length <= MAX_SAMPLE_BYTES);
    if (small) this.#sample = small;
  }

  /**
   * Whether a call with these objects has failed because of some of them.
   * @param isAnswered whether the webhook responds for an object
   */
  async isByObjects(sent: readonly Sent[], isAnswered: (sample: Sent) => Promise<boolean>): Promise<boolean> {
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

  /** Whether an object whose call failed is responsible for it: it has failed often enough. */
  isResponsible(sent: Sent): boolean {
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

/** Key of an object in its present form: another text mostly has another length. */
const keyOf = ({ object: { metadata }, text }: Sent): string => `${metadata?.uid} ${text.length}`;
