import type { ApiObject } from '@orch/machinery';
import type { VersionConversion } from '../conversions/version-conversion.js';
import { at, isObject, objectAt } from '../values/fields.js';
import { renamed, reversed } from '../values/rename.js';

const TO_V1BETA3: ReadonlyMap<string, string> = new Map([['assuredConcurrencyShares', 'nominalConcurrencyShares']]);
const TO_V1BETA2 = reversed(TO_V1BETA3);

const withShares = (object: ApiObject, names: ReadonlyMap<string, string>): ApiObject => {
  const limited = at(object, 'spec', 'limited');
  if (!isObject(limited)) return object;
  return { ...object, spec: { ...objectAt(object, 'spec'), limited: renamed(limited, names) } };
};

const HUB = 'flowcontrol.apiserver.orch.io/v1beta3';

/** How the concurrency of requests was configured before `flowcontrol.apiserver.orch.io/v1beta3`. */
export const FLOWCONTROL_VERSIONS: readonly VersionConversion[] = ['v1alpha1', 'v1beta1', 'v1beta2'].flatMap((name) => {
  const version = `flowcontrol.apiserver.orch.io/${name}`;
  return [
    { version, kinds: ['FlowSchema'], hub: HUB },
    {
      version,
      kinds: ['PriorityLevelConfiguration'],
      hub: HUB,
      toHub: (object) => withShares(object, TO_V1BETA3),
      fromHub: (object) => withShares(object, TO_V1BETA2),
    } satisfies VersionConversion,
  ];
});
