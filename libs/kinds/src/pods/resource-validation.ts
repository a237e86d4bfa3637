import {
  type FieldError,
  forbiddenField,
  invalidValue,
  memberOf,
  type Names,
  type Quantity,
  required,
} from '@orch/machinery';
import type { PodSpec, ResourceRequirements } from '@orch/schema/types/core/v1';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { containerResourceErrors, isHugePages, isNative, validateResourceAmount } from '../rules/resource-names.js';
import { allContainers } from './containers.js';
import type { PodContext } from './pod-context.js';
import { type PodClaims, validateClaimsAsked } from './resource-claim-validation.js';

const HUGE_PAGES = 'hugepages-';
/** Number of errors of one container after which the check ends; a tenth of them are reported. */
const MANY_ERRORS = 10_000;
const NANO = 1_000_000_000n;
/** The names of nearly all resources. */
const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Only of what the node can take back may more be promised than there is. */
const mayOvercommit = (name: string, names: Names): boolean => isNative(name, names) && !isHugePages(name);

type Amounts = Readonly<Record<string, string>>;

/**
 * Resources of a container: known names, amounts that can be, requests within limits. `path` is that of `resources`.
 * @param claims those that the container may ask for
 */
export function validateResources(
  resources: ResourceRequirements | undefined,
  path: string,
  context: PodContext,
  claims?: PodClaims,
): FieldError[] {
  const [limits, requests] = [resources?.limits ?? {}, resources?.requests ?? {}];
  const errors = validateLimits(limits, `${path}.limits`, context);
  // A request that is defaulted from its limit has the same errors, and there may be thousands.
  const known = new Map<string, FieldError[]>();
  for (const error of errors) known.set(error.field, [...(known.get(error.field) ?? []), error]);
  for (const name in requests) {
    if (errors.length >= MANY_ERRORS) break;
    const amount = requests[name] ?? '';
    const limit = memberOf(limits, name);
    const field = `${path}.requests[${name}]`;
    if (limit === amount) {
      for (const error of known.get(`${path}.limits[${name}]`) ?? []) errors.push({ ...error, field });
    } else {
      errors.push(
        ...validateAmount(name, amount, field, context),
        ...validateRequest(name, amount, limit, path, context.names),
        ...validatePages(name, amount, field, context),
      );
    }
  }
  if (needsCompute(limits, requests)) errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  if (claims) errors.push(...validateClaimsAsked(resources, claims, `${path}.claims`));
  return errors;
}

function validateLimits(limits: Amounts, path: string, context: PodContext): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in limits) {
    if (errors.length >= MANY_ERRORS) break;
    const [amount, field] = [limits[name] ?? '', `${path}[${name}]`];
    errors.push(...validateAmount(name, amount, field, context), ...validatePages(name, amount, field, context));
  }
  return errors;
}

/** Returns whether huge pages are requested without cpu or memory. */
function needsCompute(limits: Amounts, requests: Amounts): boolean {
  const lists = [limits, requests];
  return (
    lists.some((list) => Object.keys(list).some(isHugePages)) &&
    !lists.some((list) => Object.hasOwn(list, 'cpu') || Object.hasOwn(list, 'memory'))
  );
}

function validateAmount(name: string, amount: string, field: string, { names }: PodContext): FieldError[] {
  if (COMPUTE.has(name)) return amount.startsWith('-') ? validateResourceAmount(name, amount, field, names) : [];
  return [
    ...invalidEach(field, name, containerResourceErrors(name, names)),
    ...validateResourceAmount(name, amount, field, names),
  ];
}

function validatePages(name: string, amount: string, field: string, { kept }: PodContext): FieldError[] {
  const quantity = isHugePages(name) && !kept.hugePages ? quantityOf(amount) : undefined;
  if (!quantity || isWholePages(name, quantity)) return [];
  return [invalidValue(field, quantity.toString(), `${quantity} is not positive integer multiple of ${name}`)];
}

function isWholePages(name: string, quantity: Quantity): boolean {
  const size = pageSize(name);
  return size !== undefined && size.nanos > 0n && size.nanos % NANO === 0n && quantity.value() % size.value() === 0n;
}

/** The size that the name of huge pages ends in. Of thousands of names that end in none, none is read. */
function pageSize(name: string): Quantity | undefined {
  const size = name.slice(HUGE_PAGES.length);
  return /^[-+0-9.]+[A-Za-z0-9+-]*$/.test(size) ? quantityOf(size) : undefined;
}

function validateRequest(
  name: string,
  amount: string,
  limit: string | undefined,
  path: string,
  names: Names,
): FieldError[] {
  if (limit === amount) return [];
  if (typeof limit !== 'string') {
    if (mayOvercommit(name, names)) return [];
    return [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const [wanted, most] = [quantityOf(amount), quantityOf(limit)];
  if (!wanted || !most) return [];
  const order = wanted.compare(most);
  const refuse = (text: string) => [
    invalidValue(`${path}.requests`, wanted.toString(), `${text} ${name} limit of ${most}`),
  ];
  if (order !== 0 && !mayOvercommit(name, names)) return refuse('must be equal to');
  return order > 0 ? refuse('must be less than or equal to') : [];
}

/** Whether a container of a pod has huge pages that are no whole number of pages. */
export function hasPartsOfPages(spec: PodSpec | undefined): boolean {
  const holders: readonly (ResourceRequirements | undefined)[] = [
    ...allContainers(spec).map((container) => container.resources),
    { limits: spec?.overhead ?? {} },
  ];
  return holders.some((resources) =>
    (['limits', 'requests'] as const).some((list) =>
      Object.entries(resources?.[list] ?? {}).some(([name, amount]) => {
        const quantity = isHugePages(name) ? quantityOf(amount) : undefined;
        return quantity !== undefined && !isWholePages(name, quantity);
      }),
    ),
  );
}
