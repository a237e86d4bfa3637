export { type Amounts, addTo, amountOf, decimalOf, ONE, shown } from './amounts.js';
export { countName, Evaluators, type QuotaResource } from './evaluator.js';
export {
  type LimitedResource,
  readLimitedResources,
  shownScopes,
  uncoveredNames,
  uncoveredScopes,
} from './limited-resources.js';
export { type ExceededAmount, exceededText, shownDecimal } from './refusals.js';
export type { ScopeSelector } from './scopes.js';
export {
  countedOf,
  covers,
  difference,
  isUncounted,
  type QuotaObject,
  type QuotaTerms,
  sameSelectors,
  sameTerms,
  termsOf,
} from './terms.js';
export type { Evaluator } from './usage-evaluator.js';
