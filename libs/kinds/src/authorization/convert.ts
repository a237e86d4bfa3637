import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited } from '../values/edited.js';
import { renamed, reversed } from '../values/rename.js';

const TO_V1: ReadonlyMap<string, string> = new Map([['group', 'groups']]);
const TO_V1BETA1 = reversed(TO_V1);
const HUB = 'authorization.orch.io/v1';

const renamedGroups =
  (names: ReadonlyMap<string, string>): Conversion =>
  (object) =>
    edited(object, 'spec', (spec) => renamed(spec, names));

/** How access reviews were written before `authorization.orch.io/v1`. */
export const AUTHORIZATION_VERSIONS: readonly VersionConversion[] = [
  {
    version: 'authorization.orch.io/v1beta1',
    kinds: ['LocalSubjectAccessReview', 'SubjectAccessReview'],
    hub: HUB,
    toHub: renamedGroups(TO_V1),
    fromHub: renamedGroups(TO_V1BETA1),
  },
  {
    version: 'authorization.orch.io/v1beta1',
    kinds: ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
    hub: HUB,
  },
];
