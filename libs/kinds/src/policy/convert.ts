import type { Names } from '@orch/machinery';
import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited } from '../values/edited.js';
import { equal } from '../values/equal.js';
import { type Json, objectsAt } from '../values/fields.js';

/**
 * Returns a label that no pod has, with which a selector can express the meaning of an empty one in the other version.
 */
const nobodysLabel = (names: Names): string => names.key('pdb.orch.io/deprecated-v1beta1-empty-selector-match');

const EVERYTHING = {};
const selectorBy = (names: Names, operator: 'Exists' | 'DoesNotExist') => ({
  matchExpressions: [{ key: nobodysLabel(names), operator }],
});

const withSelector = (object: Parameters<Conversion>[0], change: (selector: Json) => Json) =>
  edited(object, 'spec.selector', change);

/** An empty selector, which selected nothing, becomes one that nothing matches. */
const toV1: Conversion = (object, { names }) =>
  withSelector(object, (selector) => {
    if (equal(selector, EVERYTHING)) return selectorBy(names, 'Exists');
    if (equal(selector, selectorBy(names, 'DoesNotExist'))) return EVERYTHING;
    return stripped(selector, nobodysLabel(names));
  });

const toV1beta1: Conversion = (object, { names }) =>
  withSelector(object, (selector) => {
    if (equal(selector, selectorBy(names, 'Exists'))) return EVERYTHING;
    if (equal(selector, EVERYTHING)) return selectorBy(names, 'DoesNotExist');
    return selector;
  });

/** Removes expressions on the key that users wrote themselves: they must not be mistaken for one of the two. */
function stripped(selector: Json, key: string): Json {
  const expressions = objectsAt(selector, 'matchExpressions');
  const kept = expressions.filter((expression) => expression.key !== key);
  return kept.length < expressions.length ? { ...selector, matchExpressions: kept } : selector;
}

/** How disruption budgets were written before `policy/v1`. */
export const POLICY_VERSIONS: readonly VersionConversion[] = [
  { version: 'policy/v1beta1', kinds: ['PodDisruptionBudget'], hub: 'policy/v1', toHub: toV1, fromHub: toV1beta1 },
  { version: 'policy/v1beta1', kinds: ['Eviction'], hub: 'policy/v1' },
];
