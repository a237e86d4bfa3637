import type { ApiObject } from '@orch/machinery';
import type { QuotaResource } from './evaluator.js';
import type { ScopeSelector } from './scopes.js';
import { covers, type QuotaTerms } from './terms.js';
import type { Evaluator } from './usage-evaluator.js';

/** A resource that may only be used when a quota covers it. */
export interface LimitedResource extends QuotaResource {
  /** Substrings of the names of limited amounts. */
  readonly matchContains: readonly string[];
  /** Scopes of limited objects. */
  readonly matchScopes: readonly ScopeSelector[];
}

const API_VERSION =
  /^(?:apiserver\.config\.[a-z0-9.-]+\/v1|resourcequota\.admission\.[a-z0-9.-]+\/v1(?:alpha1|beta1))$/;
const KINDS = ['ResourceQuotaConfiguration', 'Configuration'];

/**
 * Reads the plugin's configuration.
 * @param value as it was parsed; undefined: nothing is limited
 * @throws Error that says what is wrong with it
 */
export function readLimitedResources(value: unknown): readonly LimitedResource[] {
  if (value === undefined || value === null) return [];
  const { apiVersion, kind, limitedResources = [], ...others } = fieldsOf(value, 'the configuration');
  if (typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion))
    throw new Error(`unknown apiVersion: ${String(apiVersion)}`);
  if (!KINDS.includes(String(kind))) throw new Error(`unknown kind: ${String(kind)}`);
  refuseOthers(others, '');
  return listOf(limitedResources, 'limitedResources').map((each, at) => limitedOf(each, `limitedResources[${at}]`));
}

function limitedOf(value: unknown, where: string): LimitedResource {
  const { apiGroup = '', resource, matchContains = [], matchScopes = [], ...others } = fieldsOf(value, where);
  refuseOthers(others, `${where}.`);
  if (typeof resource !== 'string' || resource === '') throw new Error(`${where}.resource: Required value`);
  if (typeof apiGroup !== 'string') throw new Error(`${where}.apiGroup must be a string`);
  return {
    group: apiGroup,
    resource,
    matchContains: listOf(matchContains, `${where}.matchContains`).map(String),
    matchScopes: listOf(matchScopes, `${where}.matchScopes`).map((each, at) =>
      selectorOf(each, `${where}.matchScopes[${at}]`),
    ),
  };
}

function selectorOf(value: unknown, where: string): ScopeSelector {
  const { scopeName, operator = 'Exists', values = [], ...others } = fieldsOf(value, where);
  refuseOthers(others, `${where}.`);
  if (typeof scopeName !== 'string' || typeof operator !== 'string')
    throw new Error(`${where} must have a scopeName and an operator`);
  return { scopeName, operator, values: listOf(values, `${where}.values`).map(String) };
}

function fieldsOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is not an object`);
  return value as Record<string, unknown>;
}

function listOf(value: unknown, where: string): unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${where} must be a list`);
  return value;
}

function refuseOthers(others: Record<string, unknown>, where: string): void {
  const unknown = Object.keys(others).map((key) => where + key);
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
}

/**
 * Returns names of amounts that an object uses and a quota must limit, ascending, without those that a matching quota
 * limits.
 */
export function uncoveredNames(
  limited: readonly LimitedResource[],
  { group, resource }: QuotaResource,
  evaluator: Evaluator,
  object: ApiObject,
  quotas: readonly QuotaTerms[],
): string[] {
  const parts = limited
    .filter((each) => each.group === group && each.resource === resource)
    .flatMap(({ matchContains }) => matchContains);
  if (parts.length === 0) return [];
  const used = [...evaluator.usage(object)].filter(([, amount]) => amount > 0n).map(([name]) => name);
  const covered = new Set(quotas.filter((each) => covers(each, evaluator, object)).flatMap((each) => each.limited));
  return used.filter((name) => parts.some((part) => name.includes(part)) && !covered.has(name)).sort();
}

/** Returns scopes of an object that a quota must cover, without those that one selects. */
export function uncoveredScopes(
  limited: readonly LimitedResource[],
  evaluator: Evaluator,
  object: ApiObject,
  quotas: readonly QuotaTerms[],
): ScopeSelector[] {
  const isIn = (selector: ScopeSelector) => evaluator.inScope(selector, object);
  const covered = new Set(quotas.flatMap(({ selectors }) => selectors.filter(isIn).map(({ scopeName }) => scopeName)));
  return limited
    .flatMap(({ matchScopes }) => matchScopes.filter(isIn))
    .filter(({ scopeName }) => !covered.has(scopeName));
}

/** `[{PriorityClass In [a b]}]`. */
export const shownScopes = (selectors: readonly ScopeSelector[]): string =>
  `[${selectors.map((each) => `{${each.scopeName} ${each.operator} [${(each.values ?? []).join(' ')}]}`).join(' ')}]`;
