import {
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  parseQuantity,
  type Quantity,
  QuantityError,
  qualifiedNameErrors,
  required,
  VerbatimValue,
} from '@orch/machinery';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { mapAt } from '../values/fields.js';
import { allContainers } from './containers.js';
import type { PodContext } from './pod-context.js';
import { type PodClaims, validateClaimsAsked } from './resource-claim-validation.js';

const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** What an installation counts beside what containers use. */
const COUNTED = new Set([
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'storage', 'requests.storage', 'services.nodeports', 'services.loadbalancers'],
]);
/** Of those, what comes in whole numbers only. */
const WHOLE = new Set([
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
]);
const HUGE_PAGES = 'hugepages-';
const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;

const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
/** Resources of the product itself; those of others have a domain of theirs before them. */
const isNative = (name: string, names: Names): boolean => !name.includes('/') || name.includes(names.key('orch.io/'));
/** Only of what the node can take back may more be promised than there is. */
const mayOvercommit = (name: string, names: Names): boolean => isNative(name, names) && !isHugePages(name);
const isExtended = (name: string, names: Names): boolean =>
  !isNative(name, names) && !name.startsWith('requests.') && qualifiedNameErrors(`requests.${name}`).length === 0;

type Amounts = Readonly<Record<string, string>>;

/**
 * Resources of a container: known names, amounts that can be, requests within limits. `path` is that of `resources`.
 * @param claims those that the container may ask for
 */
export function validateResources(
  resources: unknown,
  path: string,
  context: PodContext,
  claims?: PodClaims,
): FieldError[] {
  const [limits, requests] = [mapAt(resources, 'limits'), mapAt(resources, 'requests')];
  const errors: FieldError[] = [];
  // There may be thousands.
  for (const name in limits) validateAmount(name, limits[name] ?? '', `${path}.limits`, context, errors);
  for (const name in requests) {
    const amount = requests[name] ?? '';
    validateAmount(name, amount, `${path}.requests`, context, errors, () =>
      validateRequest(name, amount, limits[name], path, context.names),
    );
  }
  if (needsCompute(limits, requests)) errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  if (claims) errors.push(...validateClaimsAsked(resources, claims, `${path}.claims`));
  return errors;
}

/** Of huge pages alone nothing can run. */
function needsCompute(limits: Amounts, requests: Amounts): boolean {
  const lists = [limits, requests];
  return (
    lists.some((list) => Object.keys(list).some(isHugePages)) &&
    !lists.some((list) => Object.hasOwn(list, 'cpu') || Object.hasOwn(list, 'memory'))
  );
}

/** `compare` is asked between what is said of the amount alone and what of its pages. */
function validateAmount(
  name: string,
  amount: string,
  list: string,
  { names, kept }: PodContext,
  errors: FieldError[],
  compare: () => FieldError[] = () => [],
): void {
  if (!COMPUTE.has(name) || amount.startsWith('-')) {
    const field = `${list}[${name}]`;
    const quantity = quantityOf(amount);
    errors.push(...validateResourceName(name, field, names));
    if (quantity) errors.push(...validateQuantity(name, quantity, field, names));
    errors.push(...compare());
    if (quantity && isHugePages(name) && !kept.hugePages && !isWholePages(name, quantity)) {
      errors.push(invalidValue(field, quantity.toString(), `${quantity} is not positive integer multiple of ${name}`));
    }
    return;
  }
  errors.push(...compare());
}

function validateResourceName(name: string, field: string, names: Names): FieldError[] {
  if (COMPUTE.has(name)) return [];
  const texts = qualifiedNameErrors(name);
  if (name.includes('/')) {
    const known = isNative(name, names) || isExtended(name, names);
    if (!known) texts.push("doesn't follow extended resource name standard");
  } else if (!isHugePages(name)) {
    const known = COUNTED.has(name) || name.startsWith(`requests.${HUGE_PAGES}`);
    if (texts.length === 0 && !known) texts.push('must be a standard resource type or fully qualified');
    texts.push('must be a standard resource for containers');
  }
  return invalidEach(field, name, texts);
}

function validateQuantity(name: string, quantity: Quantity, field: string, names: Names): FieldError[] {
  const errors: FieldError[] = [];
  if (quantity.nanos < 0n) {
    errors.push(invalidValue(field, quantity.toString(), 'must be greater than or equal to 0'));
  }
  const whole = WHOLE.has(name) || isExtended(name, names);
  if (whole && quantity.nanos % NANO !== 0n)
    errors.push(invalidValue(field, shownPart(quantity), 'must be an integer'));
  return errors;
}

/** An amount that is no whole number, as the reference prints it: in thousandths, to which all are rounded. */
const shownPart = ({ nanos }: Quantity): VerbatimValue =>
  new VerbatimValue(
    `resource.Quantity{i:resource.int64Amount{value:${nanos / MILLI}, scale:-3}, ` +
      'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}',
  );

function isWholePages(name: string, quantity: Quantity): boolean {
  const size = pageSize(name);
  return size !== undefined && size.nanos > 0n && size.nanos % NANO === 0n && quantity.value() % size.value() === 0n;
}

/** The size that the name of huge pages ends in. */
function pageSize(name: string): Quantity | undefined {
  try {
    return parseQuantity(name.slice(HUGE_PAGES.length));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function validateRequest(
  name: string,
  amount: string,
  limit: string | undefined,
  path: string,
  names: Names,
): FieldError[] {
  if (limit === amount) return [];
  if (limit === undefined) {
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
export const hasPartsOfPages = (spec: unknown): boolean =>
  [...allContainers(spec).map((container) => container.resources), { limits: mapAt(spec, 'overhead') }].some(
    (resources) =>
      ['limits', 'requests'].some((list) =>
        Object.entries(mapAt(resources, list)).some(([name, amount]) => {
          const quantity = isHugePages(name) ? quantityOf(amount) : undefined;
          return quantity !== undefined && !isWholePages(name, quantity);
        }),
      ),
  );
