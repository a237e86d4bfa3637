import type { ApiObject } from '@orch/machinery';
import type { Event as CoreEvent, ObjectReference } from '@orch/schema/types/core/v1';
import type { Event } from '@orch/schema/types/events/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { eventsToCore } from './convert.js';
import { eventRow } from './event-row.js';
import { validateEventUpdate } from './event-update-validation.js';
import { validateNewForm } from './event-validation.js';

const regarding =
  (name: keyof ObjectReference) =>
  ({ regarding: about }: Event): string =>
    about?.[name] ?? '';

/** Events are stored in their core form, whatever group they came by. */
const STORED_NAMES: ReadonlyMap<string, string> = new Map([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (name) => [`regarding.${name}`, `involvedObject.${name}`] as const,
  ),
  ['reportingController', 'reportingComponent'] as const,
]);

/** Rules of Event in `events.orch.io`; events are stored in their core form. */
export const event: KindDeclaration<Event, CoreEvent> = {
  createOnUpdate: true,
  validateServed: validateNewForm,
  validateServedUpdate: validateEventUpdate,
  row: (object, now) => eventRow(eventsToCore(object as ApiObject) as CoreEvent, now),
  storedFieldNames: STORED_NAMES,
  // The only field with its own name in errors; for the others clients get the names of core events.
  refusedFieldNames: new Map([['reportingComponent', 'reportingController']]),
  selectableFields: {
    'regarding.kind': regarding('kind'),
    'regarding.namespace': regarding('namespace'),
    'regarding.name': regarding('name'),
    'regarding.uid': regarding('uid'),
    'regarding.apiVersion': regarding('apiVersion'),
    'regarding.resourceVersion': regarding('resourceVersion'),
    'regarding.fieldPath': regarding('fieldPath'),
    reason: (object) => object.reason ?? '',
    reportingController: (object) => object.reportingController ?? '',
    type: (object) => object.type ?? '',
  },
};
