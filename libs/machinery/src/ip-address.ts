const OCTET_MAX = 255;
const IPV6_GROUPS = 8;
/** Maximum length of an address, leading zeros of octets included. */
const MAX_LENGTH = 256;

/** Family of an address, as Services name it. */
export type IPFamily = 'IPv4' | 'IPv6';

/** Returns 4 or 6, or 0 for no address. Octets may have leading zeros, as older clients may have stored them. */
export function addressFamily(text: string): 0 | 4 | 6 {
  if (text.length > MAX_LENGTH) return 0;
  // Keeps long lists of other texts cheap.
  if (text.includes(':')) return isV6(text) ? 6 : 0;
  return isV4(text) ? 4 : 0;
}

/** Whether a text is an address, as {@link addressFamily} defines it. */
export const isAddress = (text: string): boolean => addressFamily(text) !== 0;

const isV4 = (text: string): boolean => {
  if (!text.includes('.')) return false;
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^\d+$/.test(octet) && Number(octet) <= OCTET_MAX);
};

/** Groups of sixteen bits, of which one run of zeros may be omitted, and the last two written as IPv4. */
function isV6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const embedded = isV4(last);
  const hexadecimal = embedded ? groups.slice(0, -1) : groups;
  if (!hexadecimal.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = hexadecimal.length + (embedded ? 2 : 0);
  return halves.length === 2 ? count < IPV6_GROUPS : count === IPV6_GROUPS;
}

/**
 * Returns the family of an address, IPv4 for an IPv4-mapped IPv6 one (`::ffff:192.0.2.1`); undefined for no address.
 */
export const familyOf = (text: string): IPFamily | undefined =>
  (['IPv4', 'IPv6'] as const)[[4, 6].indexOf(addressFamily(plainAddress(text)))];

/** Returns an address as a number of 32 or 128 bits. */
export function addressValue(text: string): bigint {
  if (isV4(text)) return joinBits(text.split('.').map(Number), 8n);
  const [left = [], right = []] = text.split('::').map(groupsOf);
  const zeros = Array.from({ length: IPV6_GROUPS - left.length - right.length }, () => 0);
  return joinBits([...left, ...zeros, ...right], 16n);
}

/** Groups of sixteen bits; two of them may be written as IPv4. */
const groupsOf = (half: string): number[] =>
  half === '' ? [] : half.split(':').flatMap((group) => (isV4(group) ? pairOf(group) : [Number.parseInt(group, 16)]));

function pairOf(v4: string): [number, number] {
  const value = Number(addressValue(v4));
  return [Math.floor(value / 0x10000), value % 0x10000];
}

const joinBits = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);

/** Formats an address canonically (RFC 5952). */
export function formatAddress(value: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: IPV6_GROUPS }, (_, index) =>
    ((value >> BigInt(16 * (IPV6_GROUPS - 1 - index))) & 0xffffn).toString(16),
  );
  const { at, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, at).join(':')}::${groups.slice(at + length).join(':')}`;
}

/** Returns the first of the longest runs of zeros. */
function longestZeros(groups: readonly string[]): { at: number; length: number } {
  let longest = { at: 0, length: 0 };
  for (let at = 0; at < groups.length; at++) {
    let length = 0;
    while (groups[at + length] === '0') length++;
    if (length > longest.length) longest = { at, length };
  }
  return longest;
}

/** Returns an address in canonical form; other texts are returned unchanged. */
export function canonicalAddress(text: string): string {
  const family = addressFamily(text);
  return family === 0 ? text : formatAddress(addressValue(text), family);
}

/** Returns the errors of a text that must be an address; empty for a valid one. */
export const addressErrors = (text: string): string[] =>
  isAddress(text) ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];

/**
 * Returns the IPv4 address of an IPv4-mapped IPv6 one (`::ffff:192.0.2.1`) in canonical form; other addresses in
 * theirs.
 */
export function plainAddress(text: string): string {
  if (isV4(text)) return text.split('.').map(Number).join('.');
  const canonical = canonicalAddress(text);
  if (addressFamily(canonical) !== 6) return canonical;
  const value = addressValue(canonical);
  return value >> 32n === 0xffffn ? formatAddress(value & 0xffffffffn, 4) : canonical;
}

/** Errors of a text that must be an address of one family; IPv4-mapped IPv6 addresses count as IPv4. */
export const addressOfFamilyErrors = (text: string, family: IPFamily): string[] =>
  familyOf(text) === family ? [] : [`must be a valid ${family} address`];

/** Special-purpose addresses, which identify no single host. */
const SPECIAL: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^(0\.0\.0\.0|::)$/, (text) => `may not be unspecified (${text})`],
  [/^(127\.|::1$)/, () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab][0-9a-f]:)/, () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff[0-9a-f]2:)/, () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];

/** Returns the errors of a text that must be the address of a host: for no address, and for a special-purpose one. */
export function specialAddressErrors(text: string): string[] {
  if (!isAddress(text)) return ['must be a valid IP address'];
  const plain = plainAddress(text);
  return SPECIAL.flatMap(([form, message]) => (form.test(plain) ? [message(text)] : []));
}

/** Returns the length of a prefix such as `10.0.0.0/8`; undefined for an invalid one. */
export function prefixLength(text: string): number | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = addressFamily(address);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const length = Number(bits);
  return length <= (family === 4 ? 32 : 128) ? length : undefined;
}

/** Whether the second of two prefixes is a proper part of the first. */
export function contains(outer: string, inner: string): boolean {
  const [first, second] = [outer, inner].map((text) => ({
    address: text.split('/')[0] ?? '',
    length: prefixLength(text) ?? 0,
  }));
  if (!first || !second || addressFamily(first.address) !== addressFamily(second.address)) return false;
  const bits = BigInt((addressFamily(first.address) === 4 ? 32 : 128) - first.length);
  return first.length < second.length && addressValue(first.address) >> bits === addressValue(second.address) >> bits;
}
