import { addressFamily, addressValue, formatAddress, type Names } from '@orch/machinery';
import type { Service } from '@orch/schema/types/core/v1';

const HINTS = 'service.orch.io/topology-aware-hints';
const MODE = 'service.orch.io/topology-mode';
const LEADING_ZERO = /(?:^|\.)0\d/;

/** Warns of addresses that are not canonical, and of annotations that have a later name. */
export function serviceWarnings(object: Service, names: Names): string[] {
  const { spec } = object;
  const each = (
    name: 'clusterIPs' | 'externalIPs' | 'loadBalancerSourceRanges',
    judge: (text: string, path: string) => string[],
  ) => (spec?.[name] ?? []).flatMap((text, index) => judge(text, `spec.${name}[${index}]`));
  const balancer = spec?.loadBalancerIP ?? '';
  const headless = spec?.clusterIP === 'None';
  return [
    ...(object.metadata?.annotations?.[names.key(HINTS)] === undefined
      ? []
      : [`annotation ${names.key(HINTS)} is deprecated, please use ${names.key(MODE)} instead`]),
    ...(headless ? [] : each('clusterIPs', addressWarnings)),
    ...each('externalIPs', addressWarnings),
    ...(balancer === '' ? [] : addressWarnings(balancer, 'spec.loadBalancerIP')),
    ...each('loadBalancerSourceRanges', rangeWarnings),
  ];
}

const SOON = 'was accepted, but will be invalid in a future Kubernetes release';
const leadingZero = (address: string) =>
  `ParseAddr(${JSON.stringify(address)}): IPv4 field has octet with leading zero`;

function addressWarnings(address: string, path: string): string[] {
  if (LEADING_ZERO.test(address)) return [`${path}: IP address ${SOON}: ${leadingZero(address)}`];
  return formWarnings('IPv6 address', address, oneForm(address), path);
}

function rangeWarnings(range: string, path: string): string[] {
  const [address = '', length = ''] = range.split('/');
  const wrong = LEADING_ZERO.test(address)
    ? leadingZero(address)
    : /^0\d/.test(length) && `bad bits after slash: ${JSON.stringify(length)}`;
  if (wrong) return [`${path}: IP prefix ${SOON}: netip.ParsePrefix(${JSON.stringify(range)}): ${wrong}`];
  return formWarnings('IPv6 prefix', range, `${oneForm(address)}/${length}`, path);
}

function formWarnings(what: string, text: string, canonical: string, path: string): string[] {
  if (canonical === text || !text.includes(':')) return [];
  const form = `is not in RFC 5952 canonical format (${JSON.stringify(canonical)})`;
  return [`${path}: ${what} ${JSON.stringify(text)} ${form}, which may cause controller apply-loops`];
}

/** Formats an IPv6 address that stands for an IPv4 one so that this shows. */
function oneForm(address: string): string {
  if (addressFamily(address) !== 6) return address;
  const value = addressValue(address);
  return value >> 32n === 0xffffn ? `::ffff:${formatAddress(value & 0xffffffffn, 4)}` : formatAddress(value, 6);
}
