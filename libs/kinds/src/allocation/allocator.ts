import { familyOf, type IPFamily } from '@orch/machinery';
import type { Range } from './range.js';
import type { AddressRange } from './ranges.js';

/** The owner of an allocated value. */
export interface Owner {
  /** Namespace of the object that the value is for. */
  readonly namespace: string;
  /** Name of that object. */
  readonly name: string;
  /** Tells the owner from one that had its name before: what that one held is not this one's. */
  readonly uid: string;
}

/** That an owner has a value, as it was when this was made. */
export interface Hold {
  /** Frees the value, unless its owner has taken it again since, through whichever server. */
  release(): Promise<void>;
}

/**
 * Keeps which values are taken. The keeper must make `claim` atomic between all servers, for example by creating an
 * object named after the value.
 */
export interface Claims {
  /**
   * The value is now the owner's; undefined when it is somebody else's. What was the owner's before is not freed by the
   * hold: another write of the same object may rest on it.
   */
  claim(value: string, owner: Owner): Promise<Hold | undefined>;
  /** The values that the owner has already. */
  held(value: string, owner: Owner): Promise<Hold | undefined>;
  /** Whether the owner could have the value now; takes nothing. */
  isFree(value: string, owner: Owner): Promise<boolean>;
  /** What anybody has at some moment of the call. */
  all(): Promise<Taken>;
}

/** Values that are taken. */
export interface Taken {
  /** In the form of the range. */
  has(value: string): boolean;
}

const NO_HOLD: Hold = { release: async () => undefined };

/** Claims that only look whether they could be had, for dry runs. */
export const lookingOnly = (claims: Claims): Claims => ({
  claim: async (value, owner) => ((await claims.isFree(value, owner)) ? NO_HOLD : undefined),
  held: async () => undefined,
  isFree: (value, owner) => claims.isFree(value, owner),
  all: () => claims.all(),
});

/** Thrown when a value cannot be had; its message is fit for a client. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
  constructor(
    /** `taken` and `outOfRange` are of a value that was asked for; `full`: too few of those tried were free. */
    readonly kind: 'taken' | 'outOfRange' | 'full',
    /** Which of the values that were wanted together. */
    readonly index: number,
    message: string,
  ) {
    super(message);
  }
}

/** Of a value that is wanted and cannot be had, by its index among those wanted together. */
export const alreadyAllocated = ({ noun }: Range, index: number): AllocationError =>
  new AllocationError('taken', index, `provided ${noun} is already allocated`);

/** Gives out values of one range. */
export interface Allocator {
  /** What values are given from. */
  readonly range: Range;
  /**
   * The wanted values, and free ones where none is wanted: all of them or, when this throws, none.
   * @param wanted each once
   * @param except what the owner has or asks for elsewhere: never given where none is wanted
   * @throws AllocationError
   */
  allocate(
    owner: Owner,
    wanted: readonly (string | undefined)[],
    except: ReadonlySet<string>,
  ): Promise<readonly Allocated[]>;
  /** The values that the owner has already. */
  held(value: string, owner: Owner): Promise<Hold | undefined>;
}

/** A value that was given, held until it is released. */
export interface Allocated extends Hold {
  /** In the form of the range: an address, or a port as decimal digits. */
  readonly value: string;
}

/** The networks that Services get addresses from. */
export interface AddressAllocators {
  /** The family of Services that do not ask for one. */
  readonly defaultFamily: IPFamily;
  /** Undefined for a family that there is no network of. */
  of(family: IPFamily): Allocator | undefined;
}

/** The ranges that kinds take values from. */
export interface Allocators {
  /** Addresses of Services, `--service-cluster-ip-range`. */
  readonly clusterIPs: AddressAllocators;
  /** Ports that Services take on every node, `--service-node-port-range`. */
  readonly nodePorts: Allocator;
}

/** The range that a value belongs to, or would if it lay in it; undefined for an address of a family without a network. */
export function rangeOf(allocators: Allocators, of: keyof Allocators, value: string): Range | undefined {
  if (of === 'nodePorts') return allocators.nodePorts.range;
  const family = familyOf(value);
  return family && allocators.clusterIPs.of(family)?.range;
}

/** After so many candidates that were taken it is asked at once for all that are. */
const MAX_PROBES = 1024;
/** Claims that are asked for at a time: they share round trips, and those of others come in between. */
const TOGETHER = 128;

/** Does something with each of many items, so many at a time. @throws the first failure, once nothing is under way */
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
 * An allocator over claims. The first candidate is drawn from the owner's uid, the next ones follow in order, so that
 * a retry finds its own claims again and owners spread over the range without shared state.
 */
export function makeAllocator(range: Range, claims: Claims): Allocator {
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
        // What cannot be given back now is found by whoever checks the claims.
        await taking.giveBack().catch(() => undefined);
        throw error;
      }
    },
    held: (value, owner) => claims.held(value, owner),
  };
}

/** @throws AllocationError for what no claim can change */
function refuseImpossible(range: Range, wanted: readonly (string | undefined)[]): void {
  for (const [index, value] of wanted.entries())
    if (value !== undefined && !range.contains(value))
      throw new AllocationError('outOfRange', index, range.outside(value));
  if (wanted.length > range.size) throw new AllocationError('full', range.size, 'range is full');
}

async function takeWanted(taking: Taking, wanted: readonly (string | undefined)[], range: Range): Promise<void> {
  await taking.take(wanted.filter((value) => value !== undefined));
  const missing = wanted.findIndex((value) => value !== undefined && !taking.has(value));
  if (missing >= 0) throw alreadyAllocated(range, missing);
}

/** Free values for all that want none in particular. After the first that is taken it looks before it claims, and later at all. */
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

/** As many values as are needed, if they can be had: one that was lost to somebody else is followed by the next. */
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

function* candidates(range: Range, owner: Owner, except: ReadonlySet<string>): Iterator<string> {
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

/** The values that one call takes for one owner. */
class Taking {
  readonly #holds = new Map<string, Hold>();

  constructor(
    private readonly claims: Claims,
    private readonly owner: Owner,
  ) {}

  /** Those of the values that can be had. */
  async take(values: readonly string[]): Promise<void> {
    await together(values, async (value) => {
      const hold = await this.claims.claim(value, this.owner);
      if (hold) this.#holds.set(value, hold);
    });
  }

  /** Those that could be had a moment ago. */
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

/** Allocators of networks over claims that they share; the first network's family is the default. */
export function makeAddressAllocators(
  networks: readonly [AddressRange, ...AddressRange[]],
  claims: Claims,
): AddressAllocators {
  const allocators = new Map(networks.map((network) => [network.family, makeAllocator(network, claims)]));
  return { defaultFamily: networks[0].family, of: (family) => allocators.get(family) };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
