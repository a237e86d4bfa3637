import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, ensureObject, isEmpty, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { joined, UNSET } from '../values/text.js';

export const csiDriver: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
  },
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'spec', 'attachRequired'),
    ...immutableField(object, old, 'spec', 'fsGroupPolicy'),
    ...immutableField(object, old, 'spec', 'volumeLifecycleModes'),
  ],
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
