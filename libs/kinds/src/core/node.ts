import { type ApiObject, copy, type Names } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, isEmpty, isObject, mapAt, objectsAt, textAt } from '../values/fields.js';
import { joined, orNone, UNKNOWN } from '../values/text.js';

export const node: KindDeclaration = {
  // Agents register a node with what they already know of it.
  keepsStatusOnCreate: true,
  defaults(object) {
    const status = object.status;
    if (isObject(status) && isEmpty(status.allocatable) && !isEmpty(status.capacity)) {
      status.allocatable = copy(status.capacity);
    }
  },
  row: (object, _now, names) => ({
    Status: readiness(object),
    Roles: roles(object, names),
    Version: info(object, 'kubeletVersion'),
    'Internal-IP': address(object, 'InternalIP'),
    'External-IP': address(object, 'ExternalIP'),
    'OS-Image': info(object, 'osImage') || UNKNOWN,
    'Kernel-Version': info(object, 'kernelVersion') || UNKNOWN,
    'Container-Runtime': info(object, 'containerRuntimeVersion') || UNKNOWN,
  }),
  selectableFields: { 'spec.unschedulable': (object) => String(at(object, 'spec', 'unschedulable') === true) },
};

const info = (object: ApiObject, name: string): string => textAt(object, 'status', 'nodeInfo', name);

const address = (object: ApiObject, type: string): string => {
  const found = objectsAt(object, 'status', 'addresses').find((entry) => entry.type === type);
  return orNone(textAt(found, 'address'));
};

function readiness(object: ApiObject): string {
  const ready = objectsAt(object, 'status', 'conditions').find((condition) => condition.type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(object, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

/** Roles stand in the labels: as the end of a key, or as the value of one key. */
function roles(object: ApiObject, names: Names): string {
  const prefix = names.key('node-role.orch.io/');
  const single = names.key('orch.io/role');
  const found = Object.entries(mapAt(object, 'metadata', 'labels')).flatMap(([key, value]) => {
    const role = key.startsWith(prefix) ? key.slice(prefix.length) : key === single ? value : '';
    return role === '' ? [] : [role];
  });
  return joined([...new Set(found)].sort());
}
