import { familyOf, type IPFamily } from '@orch/machinery';
import type { ValueRange } from './range.js';
import type { AddressRange } from './ranges.js';

/** The owner of an allocated value. */
export interface AllocationOwner {
  /** Namespace of the object that the value is for. */
  readonly namespace: string;
  /** Name of that object. */
  readonly name: string;
  /** Distinguishes the owner from an earlier object of the same name, whose values it does not own. */
  readonly uid: string;
}

/** A value held by an owner, as of the time of the call. */
export interface Hold {
  /** Frees the value, unless its owner has claimed it again since, through any server. */
  release(): Promise<void>;
}

/**
 * Stores which values are taken. The implementation must make `claim` atomic between all servers, for example by
 * creating an object named after the value.
 */
export interface ClaimStore {
  /**
   * Claims a value for the owner; undefined if another owner has it. A value that the owner had before is not freed by
   * the hold, as another write of the same object may depend on it.
   */
  claim(value: string, owner: AllocationOwner): Promise<Hold | undefined>;
  /** Returns the hold of a value that the owner already has; undefined if it has not. */
  held(value: string, owner: AllocationOwner): Promise<Hold | undefined>;
  /** Returns whether the owner could claim the value now; claims nothing. */
  isFree(value: string, owner: AllocationOwner): Promise<boolean>;
  /** Returns all values that were taken at some moment of the call. */
  all(): Promise<Taken>;
}

/** Values that are taken. */
export interface Taken {
  /** Returns whether a value is taken. @param value in the form of the range */
  has(value: string): boolean;
}

const NO_HOLD: Hold = { release: async () => undefined };

/** Returns claims that only check whether a value is free, for dry runs. */
export const lookingOnly = (claims: ClaimStore): ClaimStore => ({
  claim: async (value, owner) => ((await claims.isFree(value, owner)) ? NO_HOLD : undefined),
  held: async () => undefined,
  isFree: (value, owner) => claims.isFree(value, owner),
  all: () => claims.all(),
});

/** Thrown if a value cannot be allocated; its message is fit for a client. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
  constructor(
    /** `taken` and `outOfRange` concern a requested value; `full`: too few of the tried values were free. */
    readonly kind: 'taken' | 'outOfRange' | 'full',
    /** Index among the values of the call. */
    readonly index: number,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the error for a requested value that is taken, by its index among the values of the call. */
export const alreadyAllocated = ({ noun }: ValueRange, index: number): AllocationError =>
  new AllocationError('taken', index, `provided ${noun} is already allocated`);

/** Allocates values of one range. */
export interface Allocator {
  /** The range of the values. */
  readonly range: ValueRange;
  /**
   * Allocates the requested values, and free ones where none is requested: all of them or, if this throws, none.
   * @param wanted without duplicates; undefined for any free value
   * @param except values that the owner has or requests elsewhere: never allocated as free ones
   * @throws AllocationError
   */
  allocate(
    owner: AllocationOwner,
    wanted: readonly (string | undefined)[],
    except: ReadonlySet<string>,
  ): Promise<readonly Allocated[]>;
  /** Returns the hold of a value that the owner already has; undefined if it has not. */
  held(value: string, owner: AllocationOwner): Promise<Hold | undefined>;
}

/** An allocated value, held until it is released. */
export interface Allocated extends Hold {
  /** In the form of the range: an address, or a port as decimal digits. */
  readonly value: string;
}

/** Allocators of the networks for addresses of Services. */
export interface AddressAllocators {
  /** The family of Services that do not ask for one. */
  readonly defaultFamily: IPFamily;
  /** Returns the allocator of a family; undefined without a network of that family. */
  of(family: IPFamily): Allocator | undefined;
}

/** The ranges that kinds take values from. */
export interface Allocators {
  /** Addresses of Services, `--service-cluster-ip-range`. */
  readonly clusterIPs: AddressAllocators;
  /** Ports that Services take on every node, `--service-node-port-range`. */
  readonly nodePorts: Allocator;
}

/**
 * Returns the range that a value belongs to, or would if it lay in it; undefined for an address of a family without a
 * network.
 */
export function rangeOf(allocators: Allocators, of: keyof Allocators, value: string): ValueRange | undefined {
  if (of === 'nodePorts') return allocators.nodePorts.range;
  const family = familyOf(value);
  return family && allocators.clusterIPs.of(family)?.range;
}

/** Number of taken candidates after which all taken values are read at once. */
const MAX_PROBES = 1024;
/** Number of concurrent claims: they share round trips, and those of other requests come in between. */
const TOGETHER = 128;

/** Runs work for many items, with bounded concurrency. @throws the first failure, once no work is in progress */
export async function together<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += TOGETHER) {
    const settled = await Promise.allSettled(items.slice(at, at + TOGETHER).map(work));
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    for (const one of settled) if (one.status === 'fulfilled') results.push(one.value);
  }
  return results;
}

/**
 * Returns an allocator that uses claims. The first candidate is derived from the owner's uid, the next ones follow in
 * order, so that a retry finds its own claims again and owners spread over the range without shared state.
 */
export function makeAllocator(range: ValueRange, claims: ClaimStore): Allocator {
  return {
    range,
    async allocate(owner, wanted, except) {
      refuseImpossible(range, wanted);
      const taking = new Taking(claims, owner);
      try {
        await takeWanted(taking, wanted, range);
        const free = await takeFree(taking, wanted, candidates(range, owner, except));
        return wanted.map((value) => taking.allocated(value ?? (free.next().value as string)));
      } catch (error) {
        // Values that cannot be freed now are found by the check of claims.
        await taking.giveBack().catch(() => undefined);
        throw error;
      }
    },
    held: (value, owner) => claims.held(value, owner),
  };
}

/** Refuses requests that no claim can satisfy. @throws AllocationError */
function refuseImpossible(range: ValueRange, wanted: readonly (string | undefined)[]): void {
  for (const [index, value] of wanted.entries())
    if (value !== undefined && !range.contains(value))
      throw new AllocationError('outOfRange', index, range.outside(value));
  if (wanted.length > range.size) throw new AllocationError('full', range.size, 'range is full');
}

async function takeWanted(taking: Taking, wanted: readonly (string | undefined)[], range: ValueRange): Promise<void> {
  await taking.take(wanted.filter((value) => value !== undefined));
  const missing = wanted.findIndex((value) => value !== undefined && !taking.has(value));
  if (missing >= 0) throw alreadyAllocated(range, missing);
}

/**
 * Claims free values where none is requested. Once a candidate was taken, candidates are checked before they are
 * claimed; after {@link MAX_PROBES}, all taken values are read.
 */
async function takeFree(
  taking: Taking,
  wanted: readonly (string | undefined)[],
  values: Iterator<string>,
): Promise<Iterator<string>> {
  const free: string[] = [];
  const needed = wanted.filter((value) => value === undefined).length;
  let known: Taken | undefined;
  for (let [probes, looks] = [0, false]; free.length < needed; ) {
    const missing = needed - free.length;
    if (probes >= MAX_PROBES) known ??= await taking.known();
    const some = nextOf(values, looks ? TOGETHER : Math.min(TOGETHER, missing), known);
    if (some.length === 0) throw rangeIsFull(wanted, free.length);
    probes += some.length;
    const had = await takeSome(taking, looks ? await taking.freeOf(some) : some, missing);
    looks ||= had.length < some.length;
    free.push(...had);
  }
  return free.values();
}

/** Claims up to `count` of the values; a value that another owner has claimed meanwhile is followed by the next. */
async function takeSome(taking: Taking, values: readonly string[], count: number): Promise<string[]> {
  const had: string[] = [];
  for (let at = 0; at < values.length && had.length < count; ) {
    const tried = values.slice(at, at + count - had.length);
    at += tried.length;
    await taking.take(tried);
    had.push(...tried.filter((value) => taking.has(value)));
  }
  return had;
}

function nextOf(values: Iterator<string>, count: number, known: Taken | undefined): string[] {
  const some: string[] = [];
  while (some.length < count) {
    const { value, done } = values.next();
    if (done) break;
    if (!known?.has(value)) some.push(value);
  }
  return some;
}

function rangeIsFull(wanted: readonly (string | undefined)[], given: number): AllocationError {
  const unserved = [...wanted.keys()].filter((index) => wanted[index] === undefined);
  return new AllocationError('full', unserved[given] ?? 0, 'range is full');
}

function* candidates(range: ValueRange, owner: AllocationOwner, except: ReadonlySet<string>): Iterator<string> {
  const start = hash(owner.uid);
  for (const [from, to] of [
    [range.setAside, range.size],
    [0, range.setAside],
  ] as const) {
    for (let probe = 0; probe < to - from; probe++) {
      const value = range.valueAt(from + ((start + probe) % (to - from)));
      if (!except.has(value)) yield value;
    }
  }
}

/** The values that one call claims for one owner. */
class Taking {
  readonly #holds = new Map<string, Hold>();

  constructor(
    private readonly claims: ClaimStore,
    private readonly owner: AllocationOwner,
  ) {}

  /** Claims those of the values that are free. */
  async take(values: readonly string[]): Promise<void> {
    await together(values, async (value) => {
      const hold = await this.claims.claim(value, this.owner);
      if (hold) this.#holds.set(value, hold);
    });
  }

  /** Returns the values that were free a moment ago. */
  async freeOf(values: readonly string[]): Promise<string[]> {
    const free = await together(values, (value) => this.claims.isFree(value, this.owner));
    return values.filter((_, index) => free[index]);
  }

  known(): Promise<Taken> {
    return this.claims.all();
  }

  has(value: string): boolean {
    return this.#holds.has(value);
  }

  allocated(value: string): Allocated {
    return { value, release: async () => this.#holds.get(value)?.release() };
  }

  async giveBack(): Promise<void> {
    await together([...this.#holds.values()], (hold) => hold.release());
  }
}

/** Returns allocators of networks that share claims; the first network's family is the default. */
export function makeAddressAllocators(
  networks: readonly [AddressRange, ...AddressRange[]],
  claims: ClaimStore,
): AddressAllocators {
  const allocators = new Map(networks.map((network) => [network.family, makeAllocator(network, claims)]));
  return { defaultFamily: networks[0].family, of: (family) => allocators.get(family) };
}

/** Returns the FNV-1a hash of a text, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
