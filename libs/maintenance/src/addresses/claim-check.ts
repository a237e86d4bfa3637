import { type Allocators, heldValues, type Owner, ownerOf, rangeOf } from '@orch/kinds';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { Store } from '@orch/storage';
import type { AllocationClaims, Claim, OwnRun } from '@orch/writing';
import { type ClaimFinding, NewFindings } from './claim-finding.js';

interface ClaimCheckOptions {
  readonly store: Store;
  readonly services: Endpoint;
  readonly claims: AllocationClaims;
  /** The ranges as they are configured now. */
  readonly allocators: Allocators;
  /** Milliseconds for which a claim must have been seen without a Service; longer than any write may take to be decided. */
  readonly safeMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
  /** Told of each thing that is wrong with a Service, once for as long as it lasts. Must not throw. */
  readonly onFinding?: (finding: ClaimFinding) => void;
}

/** What one look at all claims and Services led to. */
interface ClaimFindings {
  /** Claims of no Service that were given up. */
  readonly givenUp: number;
  /** Values of Services that had no claim and have one now. */
  readonly claimed: number;
  /** Values that more than one Service has. */
  readonly duplicates: number;
  /** Values of Services that lie in no range, each once for each Service. */
  readonly outside: number;
}

type RangeName = keyof Allocators;
/** Who has a value, by uid. */
type Holders = ReadonlyMap<string, ReadonlyMap<string, Owner>>;
/** A claim without a Service: which, and since when. */
interface Unused {
  readonly claim: Claim;
  readonly since: number;
}

const TEXTS: Readonly<Record<ClaimFinding['kind'], string>> = {
  unallocated: 'claimed what a Service had without',
  duplicate: 'several Services have one value',
  outside: 'a Service has a value that lies in no range',
};
const RANGES: readonly RangeName[] = ['clusterIPs', 'nodePorts'];

/**
 * Compares the claims on addresses and ports with the Services. The two are written one after the other, and a write of
 * which nobody learns the outcome leaves its claims as they are. What is younger than the longest write is let alone.
 */
export class ClaimCheck {
  readonly #unused: Record<RangeName, ReadonlyMap<string, Unused>> = { clusterIPs: new Map(), nodePorts: new Map() };
  readonly #new = new NewFindings();

  constructor(private readonly options: ClaimCheckOptions) {}

  /**
   * Looks at all of them once.
   * @param run nothing is given up or claimed any more once it does not go on
   * @throws StoreUnavailableError
   */
  async run(run: OwnRun): Promise<ClaimFindings> {
    const began = this.options.now();
    // The claims first: of what is claimed after them there may already be a Service, but not the other way round.
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
    this.#tell(findings);
    const ofKind = (kind: ClaimFinding['kind']) => findings.filter((finding) => finding.kind === kind);
    return {
      givenUp,
      claimed: ofKind('unallocated').length,
      duplicates: new Set(ofKind('duplicate').map(({ range, value }) => `${range} ${value}`)).size,
      outside: ofKind('outside').length,
    };
  }

  #tell(findings: readonly ClaimFinding[]): void {
    const { logger, onFinding } = this.options;
    for (const finding of this.#new.of(findings)) {
      const { range, kind, value, owner } = finding;
      logger.warn(TEXTS[kind], { range, value, ...owner });
      onFinding?.(finding);
    }
  }

  async #holders(): Promise<Record<RangeName, Holders>> {
    const { store, services } = this.options;
    const holders = {
      clusterIPs: new Map<string, Map<string, Owner>>(),
      nodePorts: new Map<string, Map<string, Owner>>(),
    };
    for await (const page of (await store.snapshot({ type: services.type })).pages) {
      for (const row of page) {
        const service = fromStored(row, services);
        const [owner, held] = [ownerOf(service), heldValues(service)];
        for (const range of RANGES)
          for (const value of held[range])
            holders[range].set(value, (holders[range].get(value) ?? new Map<string, Owner>()).set(owner.uid, owner));
      }
    }
    return holders;
  }

  /** Claims without a Service, and since when each of them has been seen to be so. */
  #unusedOf(range: RangeName, claims: ReadonlyMap<string, Claim>, holders: Holders): Unused[] {
    const seen = this.options.now();
    return [...claims.values()].flatMap((claim) => {
      const { value, uid, version } = claim;
      if (holders.get(value)?.has(uid)) return [];
      const before = this.#unused[range].get(value);
      return [{ claim, since: before?.claim.version === version ? before.since : seen }];
    });
  }

  /** @param began when the claims were not yet read */
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
        logger.warn('freed what was claimed for no Service', { range, value, uid });
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
        // Of a Service that came after the claims were read.
        if (!run.goesOn || (await this.options.claims[range].held(value, owner))) break;
        // Refused where another has claimed it, until that claim is given up or its Service appears.
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
