import type { IPFamily } from '../values/ip-address.js';
import type { AddressRange } from './ranges.js';

/** Whose an allocated value is. */
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
  /** What the owner has already. */
  held(value: string, owner: Owner): Promise<Hold | undefined>;
  /** Whether the owner could have the value now; takes nothing. */
  isFree(value: string, owner: Owner): Promise<boolean>;
}

const NO_HOLD: Hold = { release: async () => undefined };

/** Claims that only look whether they could be had, for dry runs. */
export const lookingOnly = (claims: Claims): Claims => ({
  claim: async (value, owner) => ((await claims.isFree(value, owner)) ? NO_HOLD : undefined),
  held: async () => undefined,
  isFree: (value, owner) => claims.isFree(value, owner),
});

/** A finite, numbered set of values. */
export interface Range {
  /** How many values there are. */
  readonly size: number;
  /** The value at an index below `size`. */
  valueAt(index: number): string;
  /** Whether a text is one of the values, in the form that `valueAt` gives. */
  contains(value: string): boolean;
}

/** Thrown when a value cannot be had; its message is fit for a client. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
  constructor(
    /** `taken` and `outOfRange` are of a value that was asked for; `full`: none of those tried was free. */
    readonly kind: 'taken' | 'outOfRange' | 'full',
    message: string,
  ) {
    super(message);
  }
}

/** Gives out values of one range. */
export interface Allocator {
  /** What values are given from. */
  readonly range: Range;
  /**
   * The wanted value, or a free one.
   * @param except what the owner has or asks for elsewhere: never given where none is wanted
   * @throws AllocationError
   */
  allocate(owner: Owner, wanted: string | undefined, except: ReadonlySet<string>): Promise<Allocated>;
  /** What the owner has already. */
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

/** Above this many taken candidates in a row the range counts as full: each costs a round trip. */
const MAX_PROBES = 1024;

/**
 * An allocator over claims. The first candidate is drawn from the owner's uid, the next ones follow in order, so that
 * a retry finds its own claim again and owners spread over the range without shared state.
 */
export function makeAllocator(range: Range, claims: Claims): Allocator {
  return {
    range,
    async allocate(owner, wanted, except) {
      if (wanted !== undefined) return claimWanted(range, claims, owner, wanted);
      const start = hash(owner.uid) % range.size;
      for (let probe = 0; probe < Math.min(range.size, MAX_PROBES); probe++) {
        const value = range.valueAt((start + probe) % range.size);
        if (except.has(value)) continue;
        const hold = await claims.claim(value, owner);
        if (hold) return allocated(value, hold);
      }
      throw new AllocationError('full', 'range is full');
    },
    held: (value, owner) => claims.held(value, owner),
  };
}

/** Allocators of networks over claims that they share; the first network's family is the default. */
export function makeAddressAllocators(
  networks: readonly [AddressRange, ...AddressRange[]],
  claims: Claims,
): AddressAllocators {
  const allocators = new Map(networks.map((network) => [network.family, makeAllocator(network, claims)]));
  return { defaultFamily: networks[0].family, of: (family) => allocators.get(family) };
}

const allocated = (value: string, hold: Hold): Allocated => ({ value, release: () => hold.release() });

async function claimWanted(range: Range, claims: Claims, owner: Owner, wanted: string): Promise<Allocated> {
  if (!range.contains(wanted)) throw new AllocationError('outOfRange', 'the provided value is not in the valid range');
  const hold = await claims.claim(wanted, owner);
  if (!hold) throw new AllocationError('taken', 'provided value is already allocated');
  return allocated(wanted, hold);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
