import type { ApiObject } from '@orch/machinery';
import { at, isObject, objectAt } from '../values/fields.js';
import { renamed, reversed } from '../values/rename.js';

const TO_V1BETA3: ReadonlyMap<string, string> = new Map([['assuredConcurrencyShares', 'nominalConcurrencyShares']]);
const TO_V1BETA2 = reversed(TO_V1BETA3);

const withShares = (object: ApiObject, names: ReadonlyMap<string, string>): ApiObject => {
  const limited = at(object, 'spec', 'limited');
  if (!isObject(limited)) return object;
  return { ...object, spec: { ...objectAt(object, 'spec'), limited: renamed(limited, names) } };
};

/** A PriorityLevelConfiguration's shares under their later name. */
export const priorityLevelToV1beta3 = (object: ApiObject): ApiObject => withShares(object, TO_V1BETA3);
/** A PriorityLevelConfiguration's shares under their earlier name. */
export const priorityLevelToV1beta2 = (object: ApiObject): ApiObject => withShares(object, TO_V1BETA2);
