import type { Allocators, Owner } from '@orch/kinds';

/** What is wrong with a value that a Service has, or was. */
export interface ClaimFinding {
  readonly range: keyof Allocators;
  /**
   * `unallocated`: it had no claim, and has one now; `duplicate`: another Service has it too; `outside`: it does not lie in
   * the range any more, or there is no network of its family.
   */
  readonly kind: 'unallocated' | 'duplicate' | 'outside';
  readonly value: string;
  /** The Service. */
  readonly owner: Owner;
}

/** Tells each finding once for as long as it lasts. */
export class NewFindings {
  #known: ReadonlySet<string> = new Set();

  /** @param found all that is wrong now; @returns what was not wrong the last time */
  of(found: readonly ClaimFinding[]): ClaimFinding[] {
    const known = this.#known;
    this.#known = new Set(found.map(idOf));
    return found.filter((finding) => !known.has(idOf(finding)));
  }
}

/** What makes two findings the same. */
export const idOf = ({ range, kind, value, owner }: ClaimFinding): string => `${range} ${kind} ${value} ${owner.uid}`;
