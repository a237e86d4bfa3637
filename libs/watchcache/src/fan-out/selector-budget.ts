import { SelectorBudgetError } from '../errors.js';
import { placeName, termsOf } from './audience-index.js';
import { type Interest, interestKey } from './interest.js';

/** Limits of the selectors of a type's watches, in terms; 0 is no limit. */
export interface SelectorLimits {
  /** Bound for the watches that an event is matched against because they share its place in the index. */
  readonly together: number;
  /** Bound for the watches of one owner. */
  readonly perOwner: number;
}

/**
 * Characters of a selector, namespace included, that weigh as much as a term: they are held several times while the
 * watch lasts.
 */
const TERM_CHARACTERS = 1_024;

/** Takes back the charge of a watch. */
export type ReleaseCharge = () => void;

/** Terms charged, each interest once. */
class Account {
  terms = 0;
  readonly #watches = new Map<string, number>();

  /** Total of the account with a further interest. */
  with(key: string, terms: number): number {
    return this.#watches.has(key) ? this.terms : this.terms + terms;
  }

  add(key: string, terms: number): void {
    this.terms = this.with(key, terms);
    this.#watches.set(key, (this.#watches.get(key) ?? 0) + 1);
  }

  remove(key: string, terms: number): void {
    const left = (this.#watches.get(key) ?? 0) - 1;
    if (left > 0) {
      this.#watches.set(key, left);
      return;
    }
    this.#watches.delete(key);
    this.terms -= terms;
  }

  get empty(): boolean {
    return this.#watches.size === 0;
  }
}

/**
 * Bounds the cost of an event beyond the index: each watch is charged for the terms of its selector beyond that,
 * watches with the same interest once. Without it, endless negations in many watches would delay every write.
 */
export class SelectorBudget {
  readonly #places = new Map<string, Account>();
  readonly #owners = new Map<string, Account>();

  constructor(private readonly limits: SelectorLimits) {}

  /** Terms of all interests, each counted once. */
  get terms(): number {
    let sum = 0;
    for (const { terms } of this.#places.values()) sum += terms;
    return sum;
  }

  /**
   * @param owner charged for it; undefined for none
   * @throws SelectorBudgetError
   */
  charge(interest: Interest, owner: string | undefined): ReleaseCharge | undefined {
    const key = interestKey(interest);
    const terms = termsOf(interest) + Math.floor(key.length / TERM_CHARACTERS);
    if (terms <= 0) return undefined;
    const accounts: [Map<string, Account>, string, number][] = [
      [this.#places, placeName(interest), this.limits.together],
    ];
    if (owner !== undefined) accounts.push([this.#owners, owner, this.limits.perOwner]);
    for (const [of, name, limit] of accounts) {
      const sum = of.get(name)?.with(key, terms) ?? terms;
      if (limit > 0 && sum > limit) throw new SelectorBudgetError('the selectors of open watches say too much already');
    }
    for (const [of, name] of accounts) accountOf(of, name).add(key, terms);
    return () => {
      for (const [of, name] of accounts) {
        const account = accountOf(of, name);
        account.remove(key, terms);
        if (account.empty) of.delete(name);
      }
    };
  }
}

function accountOf(accounts: Map<string, Account>, name: string): Account {
  let account = accounts.get(name);
  if (account === undefined) {
    account = new Account();
    accounts.set(name, account);
  }
  return account;
}
