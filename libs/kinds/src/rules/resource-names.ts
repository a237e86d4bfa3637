import { type FieldError, invalidValue, type Names, qualifiedNameErrors } from '@orch/machinery';
import { invalidEach, quantityOf } from './checks.js';
import { shownQuantity } from './go-quantity.js';

/**
 * Names of resources (`cpu`, `requests.storage`, `example.com/gpu`) and amounts of them, as nodes, quotas and limit
 * ranges use them.
 */

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
/** Objects that are counted, and so come in whole numbers. */
const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const OF_QUOTAS = new Set([
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...COUNTED,
  'requests.storage',
]);
const STANDARD = new Set([...OF_QUOTAS, 'storage']);
const OF_CONTAINERS = new Set(COMPUTE);
const WHOLE = new Set(COUNTED);
const REQUESTS = 'requests.';

/** Returns whether a resource is huge pages of some size. */
export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(`${REQUESTS}hugepages-`);

/** Whether quotas know the name by themselves. */
export const isQuotaResource = (name: string): boolean => OF_QUOTAS.has(name) || isQuotaHugePages(name);

const domains = new WeakMap<Names, string>();

/** The product's domain; there may be thousands of names to compare with it. */
function ownDomain(names: Names): string {
  const known = domains.get(names);
  if (known !== undefined) return known;
  const domain = names.key('orch.io/');
  domains.set(names, domain);
  return domain;
}

/** Whether the name is one of the product's own: without a domain, or with its domain. */
export const isNative = (name: string, names: Names): boolean => !name.includes('/') || name.includes(ownDomain(names));

/** Returns whether a name is that of an extended resource. */
const isExtended = (name: string, names: Names): boolean =>
  !isNative(name, names) && !name.startsWith(REQUESTS) && qualifiedNameErrors(`${REQUESTS}${name}`).length === 0;

/** The name of any resource. */
export function resourceNameErrors(name: string): string[] {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0 || name.includes('/') || STANDARD.has(name) || isQuotaHugePages(name)) return errors;
  return ['must be a standard resource type or fully qualified'];
}

/** The name of a resource that a container can have. */
export function containerResourceErrors(name: string, names: Names): string[] {
  const errors = resourceNameErrors(name);
  if (!name.includes('/')) {
    if (!OF_CONTAINERS.has(name) && !isHugePages(name)) errors.push('must be a standard resource for containers');
  } else if (!isNative(name, names) && !isExtended(name, names)) {
    errors.push("doesn't follow extended resource name standard");
  }
  return errors;
}

/** The name of a resource that a quota can limit. */
export function quotaResourceErrors(name: string): string[] {
  const errors = resourceNameErrors(name);
  if (!name.includes('/') && !isQuotaResource(name)) errors.push('must be a standard resource for quota');
  return errors;
}

/** An amount of a resource: not negative, and whole where it counts things. */
export function validateResourceAmount(name: string, amount: string, field: string, names: Names): FieldError[] {
  const quantity = quantityOf(amount);
  if (quantity === undefined) return [];
  const errors: FieldError[] = [];
  if (quantity.nanos < 0n) {
    errors.push(invalidValue(field, quantity.toString(), 'must be greater than or equal to 0'));
  }
  if (quantity.milliValue() % 1000n !== 0n && (WHOLE.has(name) || isExtended(name, names))) {
    errors.push(invalidValue(field, shownQuantity(amount), 'must be an integer'));
  }
  return errors;
}

/** Names and amounts of a map of resources; `field` is the path of the map. */
export const validateAmounts = (
  amounts: Readonly<Record<string, string>>,
  field: string,
  nameErrors: (name: string) => string[],
  names: Names,
): FieldError[] => [...amountSteps(amounts, field, nameErrors, names)].flat();

/** The number of names that a step looks at: of very many, each may have several errors. */
const NAMES_OF_STEP = 5_000;

/** {@link validateAmounts} in steps. */
export function* amountSteps(
  amounts: Readonly<Record<string, string>>,
  field: string,
  nameErrors: (name: string) => string[],
  names: Names,
): Iterable<FieldError[]> {
  let errors: FieldError[] = [];
  let left = NAMES_OF_STEP;
  for (const [name, amount] of Object.entries(amounts)) {
    const path = `${field}[${name}]`;
    errors.push(...invalidEach(path, name, nameErrors(name)), ...validateResourceAmount(name, amount, path, names));
    if (--left > 0) continue;
    yield errors;
    [errors, left] = [[], NAMES_OF_STEP];
  }
  yield errors;
}
