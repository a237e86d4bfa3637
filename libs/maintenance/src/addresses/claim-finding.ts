import type { AllocationOwner, Allocators } from '@orch/kinds';

/** A problem of a value of a Service, which may have been repaired. */
export interface ClaimFinding {
  /** The range that the value belongs to. */
  readonly range: keyof Allocators;
  /**
   * `unallocated`: it had no claim, and has been claimed; `duplicate`: another Service has it too; `outside`: it is no
   * longer in the range, or there is no network of its family.
   */
  readonly kind: 'unallocated' | 'duplicate' | 'outside';
  /** The address or port. */
  readonly value: string;
  /** The Service that has the value. */
  readonly owner: AllocationOwner;
}

/** Reports each finding once for as long as it lasts. */
export class NewFindings {
  #known: ReadonlySet<string> = new Set();

  /**
   * Returns the new findings.
   * @param found all current findings
   * @returns those that were not found the last time
   */
  of(found: readonly ClaimFinding[]): ClaimFinding[] {
    const known = this.#known;
    this.#known = new Set(found.map(idOf));
    return found.filter((finding) => !known.has(idOf(finding)));
  }
}

/** Returns a text that is equal for equal findings. */
export const idOf = ({ range, kind, value, owner }: ClaimFinding): string => `${range} ${kind} ${value} ${owner.uid}`;
