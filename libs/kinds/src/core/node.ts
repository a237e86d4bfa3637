import { copy, type Names } from '@orch/machinery';
import type { Node, NodeSpec, NodeSystemInfo } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired } from '../rules/separation.js';
import type { NameOf } from '../values/fields.js';
import { isEmpty } from '../values/fields.js';
import { joined, orNone, UNKNOWN } from '../values/text.js';
import { validateNode, validateNodeResources, validateNodeStatus, validateNodeUpdate } from './node-validation.js';

/** Rules of Node; the status that an agent sends at registration is kept. */
export const node: KindDeclaration<Node> = {
  // Agents register a node with what they already know of it.
  keepsStatusOnCreate: true,
  defaults(object) {
    const { spec, status } = object;
    if (spec) alignNetworks(spec);
    if (status && isEmpty(status.allocatable) && !isEmpty(status.capacity)) {
      status.allocatable = copy(status.capacity);
    }
  },
  // Agents used to take their configuration from the API: existing references may stay, new ones are dropped.
  prepareForCreate(object) {
    drop(object.spec, 'configSource');
    drop(object.status, 'config');
  },
  prepareForUpdate(object, old) {
    if (old.spec?.configSource === undefined) drop(object.spec, 'configSource');
  },
  subresources: {
    status(object, old) {
      keepDesired(object, old);
      if (old.status?.config === undefined) drop(object.status, 'config');
    },
  },
  warnings: ({ spec }) => [
    ...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...((spec?.externalID ?? '') === ''
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
  selectableFields: { 'spec.unschedulable': (object) => String(object.spec?.unschedulable === true) },
};

/** The one network that older clients know is the first of the list. */
function alignNetworks(spec: NodeSpec): void {
  const first = spec.podCIDR ?? '';
  const listed = spec.podCIDRs ?? [];
  if (first !== '' && listed[0] !== first) spec.podCIDRs = [first];
  else if (listed.length > 0) spec.podCIDR = listed[0];
}

function drop<T extends object>(parent: T | undefined, name: NameOf<T>): void {
  if (parent) delete parent[name];
}

const info = ({ status }: Node, name: keyof NodeSystemInfo): string => status?.nodeInfo?.[name] ?? '';

const address = (object: Node, type: string): string => {
  const found = (object.status?.addresses ?? []).find((entry) => entry.type === type);
  return orNone(found?.address ?? '');
};

function readiness(object: Node): string {
  const ready = (object.status?.conditions ?? []).find((condition) => condition.type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return object.spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

/** Roles stand in the labels: as the end of a key, or as the value of one key. */
function roles(object: Node, names: Names): string {
  const prefix = names.key('node-role.orch.io/');
  const single = names.key('orch.io/role');
  const found = Object.entries(object.metadata?.labels ?? {}).flatMap(([key, value]) => {
    const role = key.startsWith(prefix) ? key.slice(prefix.length) : key === single ? value : '';
    return role === '' ? [] : [role];
  });
  return joined([...new Set(found)].sort());
}
