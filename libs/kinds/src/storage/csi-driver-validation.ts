import { duplicate, type FieldError, invalidValue, notSupported, required } from '@orch/machinery';
import type { CSIDriver, CSIDriverSpec } from '@orch/schema/types/storage/v1';
import { isOneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import { each } from '../rules/lists.js';
import { numberOf } from '../values/fields.js';

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

/** Checks what a CSI driver can do. Whether volumes are attached is called in errors as clients know it. */
export const validateDriver = (spec: CSIDriverSpec | undefined, contextMounts: boolean): FieldError[] => [
  ...needsAnswer(spec, 'attachRequired', 'spec.attachedRequired'),
  ...needsAnswer(spec, 'podInfoOnMount', 'spec.podInfoOnMount'),
  ...needsAnswer(spec, 'storageCapacity', 'spec.storageCapacity'),
  ...isOneOf('spec.fsGroupPolicy', spec?.fsGroupPolicy, FS_GROUP_POLICIES),
  ...validateTokens(spec),
  ...(contextMounts ? needsAnswer(spec, 'seLinuxMount', 'spec.seLinuxMount') : []),
  ...(spec?.volumeLifecycleModes ?? []).flatMap((mode) =>
    LIFECYCLE_MODES.includes(mode) ? [] : [notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)],
  ),
];

const needsAnswer = (
  spec: CSIDriverSpec | undefined,
  name: 'attachRequired' | 'podInfoOnMount' | 'storageCapacity' | 'seLinuxMount',
  field: string,
): FieldError[] => (typeof spec?.[name] === 'boolean' ? [] : [required(field)]);

/** Tokens that the driver gets for pods, each for another audience. */
function validateTokens(spec: CSIDriverSpec | undefined): FieldError[] {
  const seen = new Set<string>();
  return each(spec?.tokenRequests ?? [], 'spec.tokenRequests', (request, path) => {
    const audience = request.audience ?? '';
    if (seen.has(audience)) return [duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const seconds = numberOf(request.expirationSeconds);
    const refuse = (text: string) => [invalidValue(`${path}.expirationSeconds`, seconds, text)];
    if (seconds === undefined) return [];
    if (seconds < SHORTEST_SECONDS) return refuse('may not specify a duration less than 10 minutes');
    return seconds > LONGEST_SECONDS ? refuse('may not specify a duration larger than 2^32 seconds') : [];
  });
}

/** Refuses changes of the immutable fields of a driver; the path of one is misspelt as in the reference. */
export const validateDriverUpdate = (object: CSIDriver, old: CSIDriver): FieldError[] => [
  ...immutableField(object, old, 'spec', 'attachRequired').map((error) => ({
    ...error,
    field: 'spec.attachedRequired',
  })),
  ...(['fsGroupPolicy', 'podInfoOnMount', 'volumeLifecycleModes'] as const).flatMap((name) =>
    immutableField(object, old, 'spec', name),
  ),
];
