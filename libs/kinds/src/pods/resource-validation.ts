import { type FieldError, invalidValue, qualifiedNameErrors } from '@orch/machinery';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { mapAt } from '../values/fields.js';

const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** What an installation counts beside what containers use. */
const COUNTED = new Set([
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'storage', 'requests.storage', 'services.nodeports', 'services.loadbalancers'],
]);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const mayOvercommit = (name: string): boolean => COMPUTE.has(name);

/** Resources of a container: known names, no negative amounts, no request above its limit. `path` is that of `resources`. */
export function validateResources(container: unknown, path: string): FieldError[] {
  const limits = mapAt(container, 'resources', 'limits');
  const requests = mapAt(container, 'resources', 'requests');
  const errors: FieldError[] = [];
  // There may be thousands.
  for (const name of Object.keys(limits)) validateAmount(name, limits[name] as string, `${path}.limits`, errors);
  for (const name of Object.keys(requests)) {
    const amount = requests[name] as string;
    validateAmount(name, amount, `${path}.requests`, errors);
    errors.push(...validateRequest(name, amount, limits[name], `${path}.requests`));
  }
  return errors;
}

function validateAmount(name: string, amount: string, list: string, errors: FieldError[]): void {
  const quantity = amount.startsWith('-') ? quantityOf(amount) : undefined;
  if (!quantity && COMPUTE.has(name)) return;
  const field = `${list}[${name}]`;
  errors.push(...validateResourceName(name, field));
  if (quantity && quantity.nanos < 0n) {
    errors.push(invalidValue(field, quantity.toString(), 'must be greater than or equal to 0'));
  }
}

function validateResourceName(name: string, field: string): FieldError[] {
  if (COMPUTE.has(name)) return [];
  const errors = invalidEach(field, name, qualifiedNameErrors(name));
  if (errors.length > 0 || name.includes('/') || isHugePages(name)) return errors;
  if (!COUNTED.has(name)) {
    errors.push(invalidValue(field, name, 'must be a standard resource type or fully qualified'));
  }
  return [...errors, invalidValue(field, name, 'must be a standard resource for containers')];
}

function validateRequest(name: string, amount: string, limit: string | undefined, field: string): FieldError[] {
  if (limit === undefined || limit === amount || !(mayOvercommit(name) || isHugePages(name))) return [];
  const [wanted, most] = [quantityOf(amount), quantityOf(limit)];
  if (!wanted || !most) return [];
  const order = wanted.compare(most);
  if (order > 0 && mayOvercommit(name)) {
    return [invalidValue(field, wanted.toString(), `must be less than or equal to ${name} limit of ${most}`)];
  }
  if (order !== 0 && isHugePages(name)) {
    return [invalidValue(field, wanted.toString(), `must be equal to ${name} limit of ${most}`)];
  }
  return [];
}
