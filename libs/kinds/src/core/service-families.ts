import { type FieldError, familyOf, type IPFamily, invalidValue } from '@orch/machinery';
import type { ServiceSpec } from '@orch/schema/types/core/v1';
import type { AddressAllocators } from '../allocation/allocator.js';
import { equal } from '../values/equal.js';
import { shownStrings } from '../values/go-syntax.js';

/** The cluster address of Services that want none. */
export const HEADLESS = 'None';

/** Returns whether a Service requests no cluster IP. */
export const isHeadless = (spec: ServiceSpec | undefined): boolean =>
  (spec?.clusterIP ?? '') === HEADLESS || spec?.clusterIPs?.[0] === HEADLESS;

/** The families of a Service, the first one being that of its first address. */
export const familiesOf = (spec: ServiceSpec): IPFamily[] => [...(spec.ipFamilies ?? [])];

/** The addresses that a Service has or asks for; older clients know the first one only. */
export function addressesOf(spec: ServiceSpec | undefined): string[] {
  const addresses = spec?.clusterIPs ?? [];
  const first = spec?.clusterIP ?? '';
  return addresses.length > 0 || first === '' ? addresses : [first];
}

const other = (family: IPFamily | undefined): IPFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/**
 * Returns whether a Service is headless and without selector: its endpoints are managed elsewhere, of any family, so it
 * need not fit the networks.
 */
const isUnbound = (spec: ServiceSpec): boolean => isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;

/**
 * Decides of which families a Service is, by what it asks for, what it was, and which networks there are. Addresses
 * that the families no longer need are taken out; those that are missing come with the allocation. Mutates `spec`.
 */
export function settleFamilies(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  networks: AddressAllocators,
): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const before = old && old.type !== 'ExternalName' ? old : undefined;
  // A Service that prefers two families does not change with the networks, only when it asks to.
  if (before && before.type === spec.type && bothPrefer(spec, before)) return [];
  spec.ipFamilyPolicy ||= before?.ipFamilyPolicy ?? (isUnbound(spec) ? 'RequireDualStack' : 'SingleStack');
  const errors = [...(before ? settleChange(spec, before) : []), ...tooMany(spec), ...inferFamilies(spec, networks)];
  if (errors.length > 0) return errors;
  if (isUnbound(spec)) {
    complete(spec, networks.defaultFamily, true);
    return [];
  }
  const missing = unconfigured(spec, networks);
  if (missing.length > 0) return missing;
  complete(spec, networks.defaultFamily, isDual(networks));
  return [];
}

const isDual = (networks: AddressAllocators): boolean =>
  networks.of('IPv4') !== undefined && networks.of('IPv6') !== undefined;

const bothPrefer = (spec: ServiceSpec, before: ServiceSpec): boolean =>
  !isHeadless(spec) &&
  spec.ipFamilyPolicy === 'PreferDualStack' &&
  before.ipFamilyPolicy === 'PreferDualStack' &&
  equal(spec.clusterIPs, before.clusterIPs) &&
  equal(spec.ipFamilies, before.ipFamilies);

/**
 * Handles the change to one family, which only the policy requests: unchanged second values are removed, and values
 * removed without that policy are errors.
 */
function settleChange(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const [member, what] of [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const) {
    const [now, was]: [readonly string[], readonly string[]] = [spec[member] ?? [], before[member] ?? []];
    if (spec.ipFamilyPolicy === 'SingleStack') {
      if (now.length > 1 && equal(now, was)) keepFirst(spec, member);
    } else if (now.length > 0 && now.length < was.length) {
      const why = `must be 'SingleStack' to release the secondary ${what}`;
      errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why));
    }
  }
  return errors;
}

function keepFirst<K extends 'clusterIPs' | 'ipFamilies'>(spec: ServiceSpec, member: K): void {
  spec[member] = spec[member]?.slice(0, 1) as ServiceSpec[K];
}

function tooMany(spec: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const named = { clusterIPs: 'cluster IPs', ipFamilies: 'IP families' };
  return Object.entries(named).flatMap(([member, what]) =>
    spec[member as keyof typeof named]?.length === 2
      ? [
          invalidValue(
            'spec.ipFamilyPolicy',
            spec.ipFamilyPolicy,
            `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
          ),
        ]
      : [],
  );
}

/** Sets the families from the requested addresses. */
function inferFamilies(spec: ServiceSpec, networks: AddressAllocators): FieldError[] {
  if (isHeadless(spec)) return [];
  const addresses = addressesOf(spec);
  const families = familiesOf(spec);
  const errors: FieldError[] = [];
  for (const [index, address] of addresses.entries()) {
    const family = familyOf(address);
    if (index < families.length || family === undefined) continue;
    if (networks.of(family)) families.push(family);
    else {
      const why = `${family} is not configured on this cluster`;
      errors.push(invalidValue(`spec.clusterIPs[${index}]`, shownStrings(addresses), why));
    }
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function unconfigured(spec: ServiceSpec, networks: AddressAllocators): FieldError[] {
  const dual = spec.ipFamilyPolicy === 'RequireDualStack' && !isDual(networks);
  const why = 'this cluster is not configured for dual-stack services';
  return [
    ...(dual ? [invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why)] : []),
    ...familiesOf(spec).flatMap((family, index) =>
      networks.of(family) ? [] : [invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}

/** Adds the default family if none is given, and the other one if two are wanted and available. */
function complete(spec: ServiceSpec, defaultFamily: IPFamily, dual: boolean): void {
  const families = familiesOf(spec);
  if (families.length === 0) families.push(defaultFamily);
  if (families.length === 1 && dual && spec.ipFamilyPolicy !== 'SingleStack') families.push(other(families[0]));
  spec.ipFamilies = families;
}
