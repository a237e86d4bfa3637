import { eventRow } from '../events/event-row.js';
import { validateEvent } from '../events/event-validation.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

/** Field of an event in its core form, by the name of its selector. */
const involved = (name: string) => (object: unknown) => textAt(object, 'involvedObject', name);

/** Events as they are stored, also those of the group of their own. */
export const event: KindDeclaration = {
  nameRule: 'pathSegment',
  createOnUpdate: true,
  defaultPropagation: 'None',
  validate: validateEvent,
  row: eventRow,
  selectableFields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: (object) => textAt(object, 'reason'),
    reportingComponent: (object) => textAt(object, 'reportingComponent'),
    source: (object) => textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'),
    type: (object) => textAt(object, 'type'),
  },
};
