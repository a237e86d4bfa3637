/** Whose an allocated value is. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Keeps which values are taken. The keeper must make `claim` atomic between all servers, for example by creating an
 * object named after the value.
 */
export interface Claims {
  /** True when the value is now the owner's (also when it was before), false when it is somebody else's. */
  claim(value: string, owner: Owner): Promise<boolean>;
  /** Frees the value if it is the owner's. */
  release(value: string, owner: Owner): Promise<void>;
}

/** A finite, numbered set of values. */
export interface Range {
  readonly size: number;
  /** The value at an index below `size`. */
  valueAt(index: number): string;
  contains(value: string): boolean;
}

/** Thrown when a value cannot be had; its message is fit for a client. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
  constructor(
    readonly kind: 'taken' | 'outOfRange' | 'full',
    message: string,
  ) {
    super(message);
  }
}

/** Gives out values of one range. */
export interface Allocator {
  readonly range: Range;
  /** The wanted value, or a free one. @throws AllocationError */
  allocate(owner: Owner, wanted?: string): Promise<string>;
  release(value: string, owner: Owner): Promise<void>;
}

/** The ranges that kinds take values from. */
export interface Allocators {
  readonly clusterIPs: Allocator;
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
    async allocate(owner, wanted) {
      if (wanted !== undefined) return claimWanted(range, claims, owner, wanted);
      const start = hash(owner.uid) % range.size;
      for (let probe = 0; probe < Math.min(range.size, MAX_PROBES); probe++) {
        const value = range.valueAt((start + probe) % range.size);
        if (await claims.claim(value, owner)) return value;
      }
      throw new AllocationError('full', 'range is full');
    },
    release: (value, owner) => claims.release(value, owner),
  };
}

async function claimWanted(range: Range, claims: Claims, owner: Owner, wanted: string): Promise<string> {
  if (!range.contains(wanted)) throw new AllocationError('outOfRange', 'the provided value is not in the valid range');
  if (!(await claims.claim(wanted, owner))) {
    throw new AllocationError('taken', 'provided value is already allocated');
  }
  return wanted;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
