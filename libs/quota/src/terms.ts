import type { ApiObject } from '@orch/machinery';
import { amountOf } from './amounts.js';
import type { ScopeSelector } from './scopes.js';
import type { Evaluator } from './usage-evaluator.js';

/** Terms of a quota: what it counts. */
export interface QuotaTerms {
  /** Name of the quota. */
  readonly name: string;
  /** Names of the limited amounts. */
  readonly limited: readonly string[];
  /** Selectors that an object must all match to be counted. */
  readonly selectors: readonly ScopeSelector[];
}

/** A ResourceQuota. */
export interface QuotaObject extends ApiObject {
  /** Limits, and the objects that they apply to. */
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeSelector[] };
  };
  /** Limits in effect, and the used amounts. */
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

/** Reads the terms of a quota: the limits in its status. */
export function termsOf(quota: ApiObject): QuotaTerms {
  const { metadata, spec, status } = quota as QuotaObject;
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return {
    name: metadata?.name ?? '',
    limited: Object.keys(status?.hard ?? {}).sort(),
    selectors: [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])],
  };
}

/** Whether two quotas count the same objects, whichever amounts. */
export const sameSelectors = (a: QuotaTerms, b: QuotaTerms): boolean =>
  JSON.stringify(a.selectors) === JSON.stringify(b.selectors);

/** Whether two quotas count the same amounts: only numbers differ. */
export const sameTerms = (a: QuotaTerms, b: QuotaTerms): boolean =>
  JSON.stringify(a.limited) === JSON.stringify(b.limited) && sameSelectors(a, b);

/** Whether the status of a quota does not match its spec yet, or lacks used amounts. */
export function isUncounted(quota: ApiObject): boolean {
  const { spec, status } = quota as QuotaObject;
  const [wanted, limits, used] = [spec?.hard ?? {}, status?.hard ?? {}, status?.used ?? {}];
  const names = Object.keys(wanted);
  if (names.length !== Object.keys(limits).length) return true;
  return names.some((name) => {
    const [a, b] = [amountOf(wanted[name]), amountOf(limits[name])];
    return a?.nanos !== b?.nanos || amountOf(used[name]) === undefined;
  });
}

/** Whether a quota counts an object. */
export const covers = ({ limited, selectors }: QuotaTerms, evaluator: Evaluator, object: ApiObject): boolean =>
  limited.some((name) => evaluator.counts(name)) && selectors.every((selector) => evaluator.inScope(selector, object));

/** Returns the part of an object's usage that a quota counts. */
export function countedOf(terms: QuotaTerms, evaluator: Evaluator, object: ApiObject): Map<string, bigint> {
  const counted = new Map<string, bigint>();
  if (!covers(terms, evaluator, object)) return counted;
  for (const [name, amount] of evaluator.usage(object)) if (terms.limited.includes(name)) counted.set(name, amount);
  return counted;
}

/** Returns the difference that a write makes to a quota's counts; unchanged ones are absent. */
export function difference(
  terms: QuotaTerms,
  evaluator: Evaluator,
  before: ApiObject | undefined,
  after: ApiObject | undefined,
): Map<string, bigint> {
  const change = after ? countedOf(terms, evaluator, after) : new Map<string, bigint>();
  for (const [name, amount] of before ? countedOf(terms, evaluator, before) : [])
    change.set(name, (change.get(name) ?? 0n) - amount);
  for (const [name, amount] of change) if (amount === 0n) change.delete(name);
  return change;
}
