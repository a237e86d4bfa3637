import { type ApiObject, copy, type Names } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired } from '../rules/separation.js';
import { at, isEmpty, isObject, type Json, mapAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { joined, orNone, UNKNOWN } from '../values/text.js';
import { validateNode, validateNodeResources, validateNodeStatus, validateNodeUpdate } from './node-validation.js';

export const node: KindDeclaration = {
  // Agents register a node with what they already know of it.
  keepsStatusOnCreate: true,
  defaults(object) {
    const { spec, status } = object;
    if (isObject(spec)) alignNetworks(spec);
    if (isObject(status) && isEmpty(status.allocatable) && !isEmpty(status.capacity)) {
      status.allocatable = copy(status.capacity);
    }
  },
  // Agents took their configuration from the API once: what says so may stay, and does not come anew.
  prepareForCreate(object) {
    drop(object.spec, 'configSource');
    drop(object.status, 'config');
  },
  prepareForUpdate(object, old) {
    if (at(old, 'spec', 'configSource') === undefined) drop(object.spec, 'configSource');
  },
  subresources: {
    status(object, old) {
      keepDesired(object, old);
      if (at(old, 'status', 'config') === undefined) drop(object.status, 'config');
    },
  },
  warnings: ({ spec }) => [
    ...(at(spec, 'configSource') === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(textAt(spec, 'externalID') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
  ],
  validate: validateNode,
  validateCreate: validateNodeResources,
  validateUpdate: validateNodeUpdate,
  validateStatus: validateNodeStatus,
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

/** The one network that older clients know is the first of the list. */
function alignNetworks(spec: Json): void {
  const first = textAt(spec, 'podCIDR');
  const listed = stringsAt(spec, 'podCIDRs');
  if (first !== '' && listed[0] !== first) spec.podCIDRs = [first];
  else if (listed.length > 0) spec.podCIDR = listed[0];
}

function drop(parent: unknown, name: string): void {
  if (isObject(parent)) delete parent[name];
}

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
