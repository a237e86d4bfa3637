import { type Allocators, heldValues, type Owner, ownerOf } from '@orch/kinds';
import type { Logger } from '@orch/runtime';
import type { Store, Version } from '@orch/storage';
import { fromStored } from '../representation/stored-body.js';
import type { Endpoint } from '../served/endpoint.js';
import type { AllocationClaims, Claim } from './store-claims.js';

export interface ClaimCheckOptions {
  readonly store: Store;
  readonly services: Endpoint;
  readonly claims: AllocationClaims;
  /** Milliseconds for which a claim must have been seen without a Service; longer than any write may take to be decided. */
  readonly safeMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** What one look at all claims and Services led to. */
export interface ClaimFindings {
  /** Claims of no Service that were given up. */
  readonly givenUp: number;
  /** Values of Services that had no claim and have one now. */
  readonly claimed: number;
  /** Values that more than one Service has. */
  readonly duplicates: number;
}

type RangeName = keyof Allocators;
/** Who has a value, by uid. */
type Holders = ReadonlyMap<string, ReadonlyMap<string, Owner>>;
/** A claim without a Service: which, and since when. */
interface Unused {
  readonly version: Version;
  readonly since: number;
}

const RANGES: readonly RangeName[] = ['clusterIPs', 'nodePorts'];
const NOTHING: ClaimFindings = { givenUp: 0, claimed: 0, duplicates: 0 };

/**
 * Compares the claims on addresses and ports with the Services. The two are written one after the other, and a write of
 * which nobody learns the outcome leaves its claims as they are. What is younger than the longest write is let alone.
 */
export class ClaimCheck {
  readonly #unused: Record<RangeName, ReadonlyMap<string, Unused>> = { clusterIPs: new Map(), nodePorts: new Map() };
  #told: ReadonlySet<string> = new Set();

  constructor(private readonly options: ClaimCheckOptions) {}

  /** @throws StoreUnavailableError */
  async run(): Promise<ClaimFindings> {
    const began = this.options.now();
    // The claims first: of what is claimed after them there may already be a Service, but not the other way round.
    const { clusterIPs, nodePorts } = this.options.claims;
    const claims = { clusterIPs: await clusterIPs.all(), nodePorts: await nodePorts.all() };
    const holders = await this.#holders();
    let found = NOTHING;
    const told = new Set<string>();
    for (const range of RANGES) {
      const givenUp = await this.#giveUp(range, claims[range], holders[range], began);
      const claimed = await this.#claim(range, claims[range], holders[range]);
      const duplicates = this.#tellDuplicates(range, holders[range], told);
      found = {
        givenUp: found.givenUp + givenUp,
        claimed: found.claimed + claimed,
        duplicates: found.duplicates + duplicates,
      };
    }
    this.#told = told;
    return found;
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

  /** @param began when the claims were not yet read */
  async #giveUp(
    range: RangeName,
    claims: ReadonlyMap<string, Claim>,
    holders: Holders,
    began: number,
  ): Promise<number> {
    const { safeMs, now, logger } = this.options;
    const unused = new Map<string, Unused>();
    let givenUp = 0;
    const seen = now();
    for (const claim of claims.values()) {
      const { value, uid, version } = claim;
      if (holders.get(value)?.has(uid)) continue;
      const before = this.#unused[range].get(value);
      const since = before?.version === version ? before.since : seen;
      if (began - since < safeMs) unused.set(value, { version, since });
      else if (await this.options.claims[range].giveUp(claim)) {
        givenUp++;
        logger.warn('freed what was claimed for no Service', { range, value, uid });
      }
    }
    this.#unused[range] = unused;
    return givenUp;
  }

  async #claim(range: RangeName, claims: ReadonlyMap<string, Claim>, holders: Holders): Promise<number> {
    let claimed = 0;
    for (const [value, owners] of holders) {
      const claim = claims.get(value);
      if (claim && owners.has(claim.uid)) continue;
      for (const owner of owners.values()) {
        // Refused where another has claimed it, until that claim is given up or its Service appears.
        if (!(await this.options.claims[range].claim(value, owner))) continue;
        claimed++;
        this.options.logger.warn('claimed what a Service had without', { range, value, ...owner });
        break;
      }
    }
    return claimed;
  }

  /** Each once for as long as it lasts. */
  #tellDuplicates(range: RangeName, holders: Holders, told: Set<string>): number {
    let duplicates = 0;
    for (const [value, owners] of holders) {
      if (owners.size < 2) continue;
      duplicates++;
      const names = [...owners.values()].map(({ namespace, name }) => `${namespace}/${name}`).sort();
      const id = [range, value, ...names].join(' ');
      told.add(id);
      if (!this.#told.has(id))
        this.options.logger.warn('several Services have one value', { range, value, services: names });
    }
    return duplicates;
  }
}
