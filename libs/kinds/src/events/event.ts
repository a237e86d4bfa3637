import type { ApiObject } from '@orch/machinery';
import { textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { eventsToCore } from './convert.js';
import { eventRow } from './event-row.js';

const regarding = (name: string) => (object: ApiObject) => textAt(object, 'regarding', name);

export const event: KindDeclaration = {
  createOnUpdate: true,
  row: (object, now) => eventRow(eventsToCore(object), now),
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
