/** An IP address: its bits as a number, and how many there are. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const PART = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => PART.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** Groups of 16 bits; the last may be an address of 32. */
function groupsOf(text: string): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else {
      const last = i === parts.length - 1 ? parseV4(part) : undefined;
      if (last === undefined) return undefined;
      groups.push(last >> 16n, last & 0xffffn);
    }
  }
  return groups;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] as string), groupsOf(halves[1] ?? '')];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** An address without a zone; undefined for all other texts. */
export function parseAddress(text: string): IpAddress | undefined {
  const isV6 = text.includes(':');
  const value = isV6 ? parseV6(text) : parseV4(text);
  return value === undefined ? undefined : { bits: isV6 ? 128 : 32, value };
}

/** Whether an IPv6 address is an IPv4-mapped one. */
export const isMapped = ({ bits, value }: IpAddress): boolean => bits === 128 && value >> 32n === 0xffffn;

/** The address in its shortest form (RFC 5952). */
export function formatAddress({ bits, value }: IpAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

/** Returns the address with only its first bits. */
export function masked({ bits, value }: IpAddress, length: number): IpAddress {
  const behind = BigInt(bits - length);
  return { bits, value: (value >> behind) << behind };
}

/** The first bits of an address, as a number. */
export const leading = ({ bits, value }: IpAddress, length: number): bigint => value >> BigInt(bits - length);

const starts = (address: IpAddress, v4: readonly [bigint, number], v6: readonly [bigint, number]): boolean => {
  const [prefix, length] = address.bits === 32 ? v4 : v6;
  return leading(address, length) === prefix;
};

/** Whether the address is `0.0.0.0` or `::`. */
export const isUnspecified = ({ value }: IpAddress): boolean => value === 0n;
/** Whether the address is in `127.0.0.0/8`, or is `::1`. */
export const isLoopback = (address: IpAddress): boolean => starts(address, [127n, 8], [1n, 128]);
/** Whether the address is in `224.0.0.0/24`, or a multicast address of link-local scope. */
export const isLinkLocalMulticast = (address: IpAddress): boolean =>
  address.bits === 32 ? leading(address, 24) === 0xe00000n : (leading(address, 16) & 0xff0fn) === 0xff02n;
/** Whether the address is in `169.254.0.0/16` or `fe80::/10`. */
export const isLinkLocalUnicast = (address: IpAddress): boolean => starts(address, [0xa9fen, 16], [0b1111111010n, 10]);
const isMulticast = (address: IpAddress): boolean => starts(address, [0b1110n, 4], [0xffn, 8]);
const isBroadcast = ({ bits, value }: IpAddress): boolean => bits === 32 && value === 0xffffffffn;

/** Whether the address is a global unicast one, private networks included. */
export const isGlobalUnicast = (address: IpAddress): boolean =>
  ![isUnspecified, isLoopback, isLinkLocalUnicast, isMulticast, isBroadcast].some((test) => test(address));
