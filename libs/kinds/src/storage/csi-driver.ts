import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, ensureObject, isEmpty, isObject, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { joined, UNSET } from '../values/text.js';
import { validateDriver, validateDriverUpdate } from './csi-driver-validation.js';

function dropContextMount(spec: unknown): void {
  if (isObject(spec)) delete spec.seLinuxMount;
}

export const csiDriver: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
  },
  // Which drivers can be told to mount with a context is an alpha feature that is off.
  prepareForCreate: ({ spec }) => dropContextMount(spec),
  prepareForUpdate(object, old) {
    if (at(old, 'spec', 'seLinuxMount') === undefined) dropContextMount(object.spec);
  },
  validate: ({ spec }) => validateDriver(spec),
  validateUpdate: validateDriverUpdate,
  row: (object) => ({
    AttachRequired: at(object, 'spec', 'attachRequired') !== false,
    PodInfoOnMount: at(object, 'spec', 'podInfoOnMount') === true,
    StorageCapacity: at(object, 'spec', 'storageCapacity') === true,
    TokenRequests:
      objectsAt(object, 'spec', 'tokenRequests')
        .map((each) => textAt(each, 'audience'))
        .join(',') || UNSET,
    RequiresRepublish: at(object, 'spec', 'requiresRepublish') === true,
    Modes: joined(stringsAt(object, 'spec', 'volumeLifecycleModes')),
  }),
};
