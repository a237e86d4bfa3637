import { type AllocationOwner, type Allocators, heldValues, ownerOf, rangeOf } from '@orch/kinds';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { Store } from '@orch/storage';
import type { AllocationClaims, Claim, OwnRun } from '@orch/writing';
import { type ClaimFinding, NewFindings } from './claim-finding.js';

interface ClaimCheckOptions {
  readonly store: Store;
  readonly services: Endpoint;
  readonly claims: AllocationClaims;
  /** The ranges as currently configured. */
  readonly allocators: Allocators;
  /**
   * Milliseconds for which a claim must have been seen without a Service before it is freed; longer than any write may
   * take.
   */
  readonly safeMs: number;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
  /** Receives each problem of a Service, once for as long as it lasts, and the run that found it. Must not throw. */
  readonly onFinding?: (finding: ClaimFinding, run: OwnRun) => void;
}

/** Results of one comparison of all claims and Services. */
interface ClaimFindings {
  /** Claims without a Service that were freed. */
  readonly givenUp: number;
  /** Values of Services that had no claim and were claimed. */
  readonly claimed: number;
  /** Values that several Services have. */
  readonly duplicates: number;
  /** Values of Services that lie in no range, counted once for each Service. */
  readonly outside: number;
}

type RangeName = keyof Allocators;
/** Services by uid, for each value. */
type Holders = ReadonlyMap<string, ReadonlyMap<string, AllocationOwner>>;
/** A claim without a Service, and since when it has been seen so, monotonic milliseconds. */
interface Unused {
  readonly claim: Claim;
  readonly since: number;
}

const TEXTS: Readonly<Record<ClaimFinding['kind'], string>> = {
  unallocated: 'claimed a value that a Service used without a claim',
  duplicate: 'several Services use the same value',
  outside: 'a Service uses a value outside of the range',
};
const RANGES: readonly RangeName[] = ['clusterIPs', 'nodePorts'];

/**
 * Compares the claims on addresses and ports with the Services. The two are written one after the other, and a write
 * with unknown outcome leaves its claims behind. Claims younger than the longest write are left alone.
 */
export class ClaimCheck {
  readonly #unused: Record<RangeName, ReadonlyMap<string, Unused>> = { clusterIPs: new Map(), nodePorts: new Map() };
  readonly #new = new NewFindings();

  constructor(private readonly options: ClaimCheckOptions) {}

  /**
   * Compares all of them once.
   * @param run once it does not go on, nothing more is freed or claimed
   * @throws StoreUnavailableError
   */
  async run(run: OwnRun): Promise<ClaimFindings> {
    const began = this.options.now();
    // Claims are read first. A Service may then seem to have no claim only because it is newer than this read, which is
    // checked again before the value is claimed.
    const { clusterIPs, nodePorts } = this.options.claims;
    const claims = { clusterIPs: await clusterIPs.all(), nodePorts: await nodePorts.all() };
    const holders = await this.#holders();
    const findings: ClaimFinding[] = [];
    let givenUp = 0;
    for (const range of RANGES) {
      givenUp += await this.#giveUp(range, this.#unusedOf(range, claims[range], holders[range]), began, run);
      findings.push(...(await this.#claim(range, claims[range], holders[range], run)));
      findings.push(...this.#duplicates(range, holders[range]), ...this.#outside(range, holders[range]));
    }
    this.#report(findings, run);
    const ofKind = (kind: ClaimFinding['kind']) => findings.filter((finding) => finding.kind === kind);
    return {
      givenUp,
      claimed: ofKind('unallocated').length,
      duplicates: new Set(ofKind('duplicate').map(({ range, value }) => `${range} ${value}`)).size,
      outside: ofKind('outside').length,
    };
  }

  #report(findings: readonly ClaimFinding[], run: OwnRun): void {
    const { logger, onFinding } = this.options;
    for (const finding of this.#new.of(findings)) {
      const { range, kind, value, owner } = finding;
      logger.warn(TEXTS[kind], { range, value, ...owner });
      onFinding?.(finding, run);
    }
  }

  async #holders(): Promise<Record<RangeName, Holders>> {
    const { store, services } = this.options;
    const holders = {
      clusterIPs: new Map<string, Map<string, AllocationOwner>>(),
      nodePorts: new Map<string, Map<string, AllocationOwner>>(),
    };
    for await (const page of (await store.snapshot({ type: services.type })).pages) {
      for (const row of page) {
        const service = fromStored(row, services);
        const [owner, held] = [ownerOf(service), heldValues(service)];
        for (const range of RANGES)
          for (const value of held[range])
            holders[range].set(
              value,
              (holders[range].get(value) ?? new Map<string, AllocationOwner>()).set(owner.uid, owner),
            );
      }
    }
    return holders;
  }

  /** Returns the claims without a Service, and since when each of them has been seen so. */
  #unusedOf(range: RangeName, claims: ReadonlyMap<string, Claim>, holders: Holders): Unused[] {
    const seen = this.options.now();
    return [...claims.values()].flatMap((claim) => {
      const { value, uid, version } = claim;
      if (holders.get(value)?.has(uid)) return [];
      const before = this.#unused[range].get(value);
      return [{ claim, since: before?.claim.version === version ? before.since : seen }];
    });
  }

  /** Frees the claims that have been unused for long enough. @param began a time before the claims were read */
  async #giveUp(range: RangeName, claims: readonly Unused[], began: number, run: OwnRun): Promise<number> {
    const { safeMs, logger } = this.options;
    const unused = new Map<string, Unused>();
    let givenUp = 0;
    for (const one of claims) {
      const { claim, since } = one;
      const { value, uid } = claim;
      if (began - since < safeMs || !run.goesOn) unused.set(value, one);
      else if (await this.options.claims[range].giveUp(claim)) {
        givenUp++;
        logger.warn('released a claim that no Service uses', { range, value, uid });
      }
    }
    this.#unused[range] = unused;
    return givenUp;
  }

  async #claim(
    range: RangeName,
    claims: ReadonlyMap<string, Claim>,
    holders: Holders,
    run: OwnRun,
  ): Promise<ClaimFinding[]> {
    const claimed: ClaimFinding[] = [];
    for (const [value, owners] of holders) {
      const claim = claims.get(value);
      if (claim && owners.has(claim.uid)) continue;
      for (const owner of owners.values()) {
        // The Service was created after the claims were read.
        if (!run.goesOn || (await this.options.claims[range].held(value, owner))) break;
        // Fails while another Service has the claim, until that is freed or its Service appears.
        if (!(await this.options.claims[range].claim(value, owner))) continue;
        claimed.push({ range, kind: 'unallocated', value, owner });
        break;
      }
    }
    return claimed;
  }

  #duplicates(range: RangeName, holders: Holders): ClaimFinding[] {
    return [...holders]
      .filter(([, owners]) => owners.size > 1)
      .flatMap(([value, owners]) => [...owners.values()].map((owner) => ({ range, kind: 'duplicate', value, owner })));
  }

  #outside(range: RangeName, holders: Holders): ClaimFinding[] {
    const isInside = (value: string) => rangeOf(this.options.allocators, range, value)?.contains(value) ?? false;
    return [...holders]
      .filter(([value]) => !isInside(value))
      .flatMap(([value, owners]) => [...owners.values()].map((owner) => ({ range, kind: 'outside', value, owner })));
  }
}
