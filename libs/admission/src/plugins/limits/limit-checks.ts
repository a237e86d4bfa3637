import { parseQuantity, Quantity } from '@orch/machinery';

/** Quantities by the name of the resource. */
export type ResourceQuantities = Readonly<Record<string, string>>;

/** The requests and limits of a container, a pod or a claim. */
export interface Asked {
  /** Requested amounts. */
  readonly requests: ResourceQuantities;
  /** Limits. */
  readonly limits: ResourceQuantities;
}

const NONE = new Quantity(0n, 'decimalSI');
/** Largest amount, in whole units, that is compared in thousandths. */
const MAX_IN_MILLIS = ((1n << 63n) - 1n) / 1000n;
const CPU = 'cpu';

/** A quantity, zero if the resource has none, and whether it has one. */
interface Amount {
  readonly quantity: Quantity;
  readonly isThere: boolean;
}

function amountOf(amounts: ResourceQuantities, resource: string): Amount {
  const text = Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
  return text === undefined ? { quantity: NONE, isThere: false } : { quantity: parseQuantity(text), isThere: true };
}

/**
 * Returns how to compare: rounded up to thousandths, or for large amounts to whole units, as precisely as the reference
 * does.
 */
function comparing(...all: readonly Quantity[]): (quantity: Quantity) => bigint {
  const isSmall = all.every((each) => each.value() <= MAX_IN_MILLIS);
  return (quantity) => (isSmall ? quantity.milliValue() : quantity.value());
}

/** Returns why requests or limits are below a minimum, if they are. @param what type of the limit: `Container` */
export function minimumProblem(what: string, resource: string, text: string, asked: Asked): string | undefined {
  const enforced = parseQuantity(text);
  const [request, limit] = [amountOf(asked.requests, resource), amountOf(asked.limits, resource)];
  const of = comparing(request.quantity, limit.quantity, enforced);
  const least = `minimum ${resource} usage per ${what} is ${enforced}`;
  if (!request.isThere) return `${least}.  No request is specified`;
  if (of(request.quantity) < of(enforced)) return `${least}, but request is ${request.quantity}`;
  if (limit.isThere && of(limit.quantity) < of(enforced)) return `${least}, but limit is ${limit.quantity}`;
  return undefined;
}

/** Returns why requests or limits exceed a maximum, if they do. @param what type of the limit: `Container` */
export function maximumProblem(what: string, resource: string, text: string, asked: Asked): string | undefined {
  const enforced = parseQuantity(text);
  const [request, limit] = [amountOf(asked.requests, resource), amountOf(asked.limits, resource)];
  const of = comparing(request.quantity, limit.quantity, enforced);
  const most = `maximum ${resource} usage per ${what} is ${enforced}`;
  if (!limit.isThere) return `${most}.  No limit is specified`;
  if (of(limit.quantity) > of(enforced)) return `${most}, but limit is ${limit.quantity}`;
  if (request.isThere && of(request.quantity) > of(enforced)) return `${most}, but request is ${request.quantity}`;
  return undefined;
}

/** Returns why requests exceed a maximum, if they do, for objects that have no limits. */
export function maximumRequestProblem(what: string, resource: string, text: string, asked: Asked): string | undefined {
  const enforced = parseQuantity(text);
  const request = amountOf(asked.requests, resource);
  const of = comparing(request.quantity, enforced);
  const most = `maximum ${resource} usage per ${what} is ${enforced}`;
  if (!request.isThere) return `${most}.  No request is specified`;
  return of(request.quantity) > of(enforced) ? `${most}, but request is ${request.quantity}` : undefined;
}

/** Returns why the ratio of limit to request exceeds a maximum, if it does. */
export function ratioProblem(what: string, resource: string, text: string, asked: Asked): string | undefined {
  const enforced = parseQuantity(text);
  const [request, limit] = [amountOf(asked.requests, resource), amountOf(asked.limits, resource)];
  const of = comparing(request.quantity, limit.quantity, enforced);
  const [least, most] = [of(request.quantity), of(limit.quantity)];
  const rule = `${resource} max limit to request ratio per ${what} is ${enforced}`;
  if (!request.isThere || least === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limit.isThere || most === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(most) / Number(least);
  const isExact = enforced.value() <= MAX_IN_MILLIS;
  const [found, allowed] = isExact ? [ratio * 1000, enforced.milliValue()] : [ratio, enforced.value()];
  return found > Number(allowed) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** Returns the sums of the resources that every item names. */
export function sumOf(all: readonly ResourceQuantities[]): Record<string, string> {
  const sum: Record<string, string> = {};
  for (const resource of new Set(all.flatMap((amounts) => Object.keys(amounts)))) {
    const amounts = all.map((each) => amountOf(each, resource));
    if (!amounts.every(({ isThere }) => isThere)) continue;
    const total = amounts.reduce((so, { quantity }) => so + roundedNanos(resource, quantity), 0n);
    sum[resource] = new Quantity(total, 'decimalSI').toString();
  }
  return sum;
}

/** Returns the greater quantity of each resource, or the only one. */
export function largerOf(a: ResourceQuantities, b: ResourceQuantities): Record<string, string> {
  const larger: Record<string, string> = { ...a };
  for (const [resource, text] of Object.entries(b)) {
    const before = amountOf(a, resource);
    if (!before.isThere || parseQuantity(text).compare(before.quantity) > 0) larger[resource] = text;
  }
  return larger;
}

/** Rounds a quantity, in billionths: CPU is added up in thousandths, everything else in whole units. */
const roundedNanos = (resource: string, quantity: Quantity): bigint =>
  resource === CPU ? quantity.milliValue() * 1_000_000n : quantity.value() * 1_000_000_000n;
