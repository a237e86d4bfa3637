import type { Range } from './allocator.js';

/** Service addresses when nothing else is configured. */
export const DEFAULT_SERVICE_CIDR = '10.96.0.0/12';
/** Node ports when nothing else is configured. */
export const DEFAULT_NODE_PORTS = { from: 30000, to: 32767 } as const;

const toNumber = (address: string): number | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address);
  if (!match) return undefined;
  const bytes = match.slice(1).map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
};

const toAddress = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');

/**
 * The usable addresses of an IPv4 network: without the network's own, the broadcast address, and the first one, which
 * belongs to the API's own Service. @throws RangeError for what is not a network of at least four addresses
 */
export function addressRange(cidr: string): Range & { readonly first: string } {
  const [address = '', prefix = ''] = cidr.split('/');
  const base = toNumber(address);
  const bits = Number(prefix);
  if (base === undefined || !/^\d{1,2}$/.test(prefix) || bits > 30)
    throw new RangeError(`not an IPv4 network: ${cidr}`);
  const count = 2 ** (32 - bits);
  const start = base - (base % count);
  const size = count - 3;
  return {
    size,
    first: toAddress(start + 1),
    valueAt: (index) => toAddress(start + 2 + index),
    contains(value) {
      const number = toNumber(value);
      return number !== undefined && number > start && number < start + count - 1;
    },
  };
}

/** The ports from one to another, both included. */
export function portRange(from: number, to: number): Range {
  return {
    size: to - from + 1,
    valueAt: (index) => String(from + index),
    contains: (value) => /^\d+$/.test(value) && Number(value) >= from && Number(value) <= to,
  };
}
