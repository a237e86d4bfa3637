import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';
import { eventsToCore } from './convert.js';
import { eventRow } from './event-row.js';
import { validateEventUpdate } from './event-update-validation.js';
import { validateNewForm } from './event-validation.js';

const regarding = (name: string) => (object: ApiObject) => textAt(object, 'regarding', name);

/** Events are stored in their core form, whatever group they came by. */
const STORED_NAMES: ReadonlyMap<string, string> = new Map([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (name) => [`regarding.${name}`, `involvedObject.${name}`] as const,
  ),
  ['reportingController', 'reportingComponent'] as const,
]);

export const event: KindDeclaration = {
  createOnUpdate: true,
  validateServed: validateNewForm,
  validateServedUpdate: validateEventUpdate,
  row: (object, now) => eventRow(eventsToCore(object), now),
  storedFieldNames: STORED_NAMES,
  // The only one that clients know by its name here; of the others they hear as of core events.
  refusedFieldNames: new Map([['reportingComponent', 'reportingController']]),
  selectableFields: {
    'regarding.kind': regarding('kind'),
    'regarding.namespace': regarding('namespace'),
    'regarding.name': regarding('name'),
    'regarding.uid': regarding('uid'),
    'regarding.apiVersion': regarding('apiVersion'),
    'regarding.resourceVersion': regarding('resourceVersion'),
    'regarding.fieldPath': regarding('fieldPath'),
    reason: (object) => textAt(object, 'reason'),
    reportingController: (object) => textAt(object, 'reportingController'),
    type: (object) => textAt(object, 'type'),
  },
};
