import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Of an address, which one client may have all addresses of (RFC 6177). */
const SITE_GROUPS = 4;

/** An IPv4 address in the clothes of IPv6, as who listens to both is told (RFC 4291 section 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What tells clients apart by their address: all of an IPv4 one, the first 64 bits of an IPv6 one. */
export function siteOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Math.max(0, GROUPS - head.length - tail.length);
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, SITE_GROUPS).join(':');
}
