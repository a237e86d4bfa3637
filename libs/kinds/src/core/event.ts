import type { Event, ObjectReference } from '@orch/schema/types/core/v1';
import { eventRow } from '../events/event-row.js';
import { validateEvent } from '../events/event-validation.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Field of an event in its core form, by the name of its selector. */
const involved =
  (name: keyof ObjectReference) =>
  ({ involvedObject }: Event): string =>
    involvedObject?.[name] ?? '';

/** Events as they are stored, also those of the group of their own. */
export const event: KindDeclaration<Event> = {
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
    reason: (object) => object.reason ?? '',
    reportingComponent: (object) => object.reportingComponent ?? '',
    source: (object) => object.source?.component || (object.reportingComponent ?? ''),
    type: (object) => object.type ?? '',
  },
};
