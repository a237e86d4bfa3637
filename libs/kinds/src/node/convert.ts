import type { VersionConversion } from '../conversions/version-conversion.js';
import { objectAt } from '../values/fields.js';
import { renamed, reversed } from '../values/rename.js';

const TO_V1: ReadonlyMap<string, string> = new Map([['runtimeHandler', 'handler']]);
const TO_V1ALPHA1 = reversed(TO_V1);
const HUB = 'node.orch.io/v1';

/** How runtime classes were written before `node.orch.io/v1`: at first with a spec. */
export const NODE_VERSIONS: readonly VersionConversion[] = [
  { version: 'node.orch.io/v1beta1', kinds: ['RuntimeClass'], hub: HUB },
  {
    version: 'node.orch.io/v1alpha1',
    kinds: ['RuntimeClass'],
    hub: HUB,
    toHub: ({ spec, ...object }) => ({ ...object, ...renamed(objectAt({ spec }, 'spec'), TO_V1) }),
    fromHub({ apiVersion, kind, metadata, ...spec }) {
      return { apiVersion, kind, metadata, spec: renamed(spec, TO_V1ALPHA1) };
    },
  },
];
