import {
  addressErrors,
  duplicate,
  type FieldError,
  familyOf,
  invalidValue,
  notSupported,
  required,
} from '@orch/machinery';
import type { ServiceSpec } from '@orch/schema/types/core/v1';
import { invalidEach, isOneOf } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { shownStrings } from '../values/go-syntax.js';
import { addressesOf, HEADLESS, isHeadless } from './service-families.js';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const FIELD = 'spec.clusterIPs';

/** Checks the addresses and families that a Service asks for, whatever networks there are. */
export function validateAddresses(spec: ServiceSpec | undefined): FieldError[] {
  const addresses = spec?.clusterIPs ?? [];
  const families = spec?.ipFamilies ?? [];
  const loose = [
    ...validateFirst(spec?.clusterIP ?? '', addresses),
    ...validateFamilies(families),
    ...isOneOf('spec.ipFamilyPolicy', spec?.ipFamilyPolicy || undefined, POLICIES),
  ];
  const malformed = addresses.flatMap((address, index) => validateAddress(address, index, addresses));
  const many =
    addresses.length > 2 ? [invalidValue(FIELD, shownStrings(addresses), 'may only hold up to 2 values')] : [];
  if (malformed.length > 0) return [...loose, ...malformed, ...many];
  return [
    ...loose,
    ...many,
    ...validateStacks(addresses),
    ...(isHeadless(spec) ? [] : validateFit(addresses, families)),
  ];
}

/** `clusterIP` is the first of `clusterIPs`, as older clients know it. */
function validateFirst(first: string, addresses: readonly string[]): FieldError[] {
  if (first === '') {
    if (addresses.length === 0) return [];
    return [invalidValue(FIELD, shownStrings(addresses), 'must be empty when `clusterIP` is not specified')];
  }
  if (addresses.length === 0) return [required(FIELD)];
  return addresses[0] === first
    ? []
    : [invalidValue(FIELD, shownStrings(addresses), 'first value must match `clusterIP`')];
}

function validateFamilies(families: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return each(families, 'spec.ipFamilies', (family, field) => {
    const again = seen.has(family) ? [duplicate(field, family)] : [];
    seen.add(family);
    return [...(FAMILIES.includes(family) ? [] : [notSupported(field, family, FAMILIES)]), ...again];
  });
}

function validateAddress(address: string, index: number, addresses: readonly string[]): FieldError[] {
  if (index > 0 || address !== HEADLESS) return invalidEach(`${FIELD}[${index}]`, address, addressErrors(address));
  if (addresses.length === 1) return [];
  return [invalidValue(FIELD, shownStrings(addresses), "'None' must be the first and only value")];
}

function validateStacks(addresses: readonly string[]): FieldError[] {
  if (addresses.length < 2 || new Set(addresses.map(familyOf)).size === addresses.length) return [];
  return [invalidValue(FIELD, shownStrings(addresses), 'may specify no more than one IP for each IP family')];
}

const validateFit = (addresses: readonly string[], families: readonly string[]): FieldError[] =>
  addresses.flatMap((address, index) => {
    const family = families[index];
    if (family === undefined || !FAMILIES.includes(family) || familyOf(address) === family) return [];
    const article = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidValue(`${FIELD}[${index}]`, address, article)];
  });

/** An address that a Service has stays; a second one may come and go. */
export function validateAddressUpdate(spec: ServiceSpec | undefined, before: ServiceSpec | undefined): FieldError[] {
  const [now, was] = [addressesOf(spec), addressesOf(before)];
  const external = [spec, before].some((each) => each?.type === 'ExternalName');
  if (external || was.length === 0 || (isHeadless(spec) && isHeadless(before))) return [];
  if (now.length === 0) return [invalidValue(`${FIELD}[0]`, shownStrings(now), 'primary clusterIP can not be unset')];
  const kept = now.length === was.length ? was : was.slice(0, 1);
  return kept.flatMap((address, index) =>
    now[index] === address ? [] : [invalidValue(`${FIELD}[${index}]`, shownStrings(now), 'may not change once set')],
  );
}
