import { isIPv6 } from 'node:net';

const GROUPS = 8;
/**
 * Number of 16-bit groups of an IPv6 address that identify a client, which may hold all addresses of a /64 (RFC 6177).
 */
const SITE_GROUPS = 4;

/** Pattern of an IPv4-mapped IPv6 address, which dual-stack listeners get (RFC 4291 section 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Prefix of an address that identifies a client: the whole of an IPv4 address, the first 64 bits of an IPv6 address.
 */
export function siteOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Math.max(0, GROUPS - head.length - tail.length);
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, SITE_GROUPS).join(':');
}
