import { createHash } from 'node:crypto';

/** Flows whose hands are cached; those of others are dealt again. */
const MAX_KEPT = 4_096;

/**
 * Deals the queues that the requests of a flow may choose from, by the name of the flow alone: of many flows few share
 * all of their queues with a noisy one (shuffle sharding).
 */
export class Dealer {
  readonly #kept = new Map<string, readonly number[]>();

  /** @param handSize at most `deckSize` */
  constructor(
    readonly deckSize: number,
    readonly handSize: number,
  ) {}

  /** @returns distinct numbers below the size of the deck, the same for each call */
  handOf(flow: string): readonly number[] {
    const kept = this.#kept.get(flow);
    if (kept) return kept;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const hand = this.#deal(createHash('sha256').update(flow).digest());
    this.#kept.set(flow, hand);
    return hand;
  }

  /** Deals from the top of a shuffled deck: each card's number is adjusted for those dealt before it. */
  #deal(entropy: Buffer): readonly number[] {
    const hand: number[] = [];
    let rest = entropy.readBigUInt64LE(0);
    for (let at = 0; at < this.handSize; at++) {
      const left = BigInt(this.deckSize - at);
      let card = Number(rest % left);
      rest /= left;
      for (const taken of [...hand].sort((a, b) => a - b)) if (card >= taken) card++;
      hand.push(card);
    }
    return hand;
  }
}
