import { addressFamily, addressValue, formatAddress, type IPFamily } from '@orch/machinery';
import type { ValueRange } from './range.js';

/** Most addresses of an IPv6 network that are used, as in the reference. */
const MOST_IPV6 = 1 << 16;

/** The range of addresses of a network. */
export interface AddressRange extends ValueRange {
  /** Family of the addresses. */
  readonly family: IPFamily;
  /** First address, which belongs to the API's own Service. */
  readonly first: string;
}

/**
 * Returns the usable addresses of a network: without the network's own, the broadcast address of IPv4, and the first
 * one.
 * @throws RangeError for a text that is no network of at least four addresses
 */
export function addressRange(cidr: string): AddressRange {
  const [address = '', prefix = '', ...rest] = cidr.split('/');
  const family = addressFamily(address);
  const bits = family === 4 ? 32 : 128;
  const length = Number(prefix);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(prefix) || length > bits - 2) {
    throw new RangeError(`not an IP network of at least four addresses: ${cidr}`);
  }
  const all = 2 ** (bits - length);
  const start = (addressValue(address) >> BigInt(bits - length)) << BigInt(bits - length);
  const count = family === 4 ? all - 1 : Math.min(all, MOST_IPV6);
  const at = (offset: number) => formatAddress(start + BigInt(offset), family);
  const text = `${at(0)}/${length}`;
  return {
    family: family === 4 ? 'IPv4' : 'IPv6',
    size: count - 2,
    first: at(1),
    valueAt: (index) => at(2 + index),
    setAside: setAside(Math.min(all, MOST_IPV6)),
    text,
    noun: 'IP',
    outside: (value) => `the provided IP (${value}) is not in the valid range. The range of valid IPs is ${text}`,
    contains(value) {
      if (addressFamily(value) !== family) return false;
      const offset = addressValue(value) - start;
      return offset > 0n && offset < BigInt(count);
    },
  };
}

/**
 * Returns how many addresses are reserved for explicit requests in a network of a given size: a sixteenth, at least 16
 * and at most 256; the first one, which is the API's own, is among them.
 */
const setAside = (addresses: number): number =>
  addresses <= 16 ? 0 : Math.min(Math.max(Math.floor(addresses / 16), 16), 256) - 1;

/**
 * Reads the networks for addresses of Services: one, or one of each family with the default family's first.
 * @throws RangeError for anything else
 */
export function serviceNetworks(text: string): readonly [AddressRange, ...AddressRange[]] {
  const [first, second, ...more] = text.split(',').map((cidr) => addressRange(cidr.trim()));
  if (!first || more.length > 0) throw new RangeError(`not one or two networks: ${text}`);
  if (!second) return [first];
  if (second.family === first.family) throw new RangeError(`not one network of each family: ${text}`);
  return [first, second];
}

/** Reads a range of ports such as `30000-32767`. @throws RangeError for a text that is none */
export function nodePortRange(text: string): { readonly from: number; readonly to: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || from > to || to > 65535) throw new RangeError(`not a range of ports: ${text}`);
  return { from, to };
}

/** Returns the range of the ports from one to another, both included. */
export function portRange(from: number, to: number): ValueRange {
  const text = `${from}-${to}`;
  return {
    text,
    size: to - from + 1,
    valueAt: (index) => String(from + index),
    setAside: 0,
    noun: 'port',
    outside: () => `provided port is not in the valid range. The range of valid ports is ${text}`,
    contains: (value) => /^\d+$/.test(value) && Number(value) >= from && Number(value) <= to,
  };
}
