import { type ApiObject, duplicate, type FieldError, invalidValue, notSupported, required } from '@orch/machinery';
import { isOneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import { each } from '../rules/lists.js';
import { at, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

/** What a CSI driver can do. Whether volumes are attached is called in errors as clients know it. */
export const validateDriver = (spec: unknown, contextMounts: boolean): FieldError[] => [
  ...needsAnswer(spec, 'attachRequired', 'spec.attachedRequired'),
  ...needsAnswer(spec, 'podInfoOnMount', 'spec.podInfoOnMount'),
  ...needsAnswer(spec, 'storageCapacity', 'spec.storageCapacity'),
  ...isOneOf('spec.fsGroupPolicy', at(spec, 'fsGroupPolicy'), FS_GROUP_POLICIES),
  ...validateTokens(spec),
  ...(contextMounts ? needsAnswer(spec, 'seLinuxMount', 'spec.seLinuxMount') : []),
  ...stringsAt(spec, 'volumeLifecycleModes').flatMap((mode) =>
    LIFECYCLE_MODES.includes(mode) ? [] : [notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)],
  ),
];

const needsAnswer = (spec: unknown, name: string, field: string): FieldError[] =>
  typeof at(spec, name) === 'boolean' ? [] : [required(field)];

/** Tokens that the driver gets for pods, each for another audience. */
function validateTokens(spec: unknown): FieldError[] {
  const seen = new Set<string>();
  return each(objectsAt(spec, 'tokenRequests'), 'spec.tokenRequests', (request, path) => {
    const audience = textAt(request, 'audience');
    if (seen.has(audience)) return [duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const seconds = numberAt(request, 'expirationSeconds');
    const refuse = (text: string) => [invalidValue(`${path}.expirationSeconds`, seconds, text)];
    if (seconds === undefined) return [];
    if (seconds < SHORTEST_SECONDS) return refuse('may not specify a duration less than 10 minutes');
    return seconds > LONGEST_SECONDS ? refuse('may not specify a duration larger than 2^32 seconds') : [];
  });
}

export const validateDriverUpdate = (object: ApiObject, old: ApiObject): FieldError[] => [
  ...immutableField(object, old, 'spec', 'attachRequired').map((error) => ({
    ...error,
    field: 'spec.attachedRequired',
  })),
  ...['fsGroupPolicy', 'podInfoOnMount', 'volumeLifecycleModes'].flatMap((name) =>
    immutableField(object, old, 'spec', name),
  ),
];
