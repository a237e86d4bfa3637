import {
  type ApiObject,
  duplicate,
  type FieldError,
  invalidValue,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach, nonNegativeMembers } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { equal } from '../values/equal.js';
import { at, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';

/** Bytes of the id that a driver gives a node. */
const MAX_NODE_ID = 256;

/** The CSI drivers of a node. */
export function validateNodeDrivers(object: ApiObject): FieldError[] {
  const seen = new Set<string>();
  return each(objectsAt(object, 'spec', 'drivers'), 'spec.drivers', (driver, path) => {
    const name = textAt(driver, 'name');
    const again = seen.has(name) ? [duplicate(`${path}.name`, name)] : [];
    seen.add(name);
    return [
      ...validateDriverName(name, `${path}.name`),
      ...validateNodeId(textAt(driver, 'nodeID'), `${path}.nodeID`),
      ...nonNegativeMembers(at(driver, 'allocatable'), `${path}.allocatable`, ['count']),
      ...again,
      ...validateTopologyKeys(driver, path),
    ];
  });
}

function validateNodeId(id: string, field: string): FieldError[] {
  if (id === '') return [required(field)];
  if (Buffer.byteLength(id) <= MAX_NODE_ID) return [];
  return [invalidValue(field, id, `must be ${MAX_NODE_ID} characters or less`)];
}

/** Errors name the driver, not the key. */
function validateTopologyKeys(driver: Json, path: string): FieldError[] {
  const seen = new Set<string>();
  return stringsAt(driver, 'topologyKeys').flatMap((key) => {
    const again = seen.has(key) ? [duplicate(path, key)] : [];
    seen.add(key);
    return [...(key === '' ? [required(path)] : []), ...again, ...invalidEach(path, key, qualifiedNameErrors(key))];
  });
}

/** A driver that stays says what it said. */
export function validateNodeDriversUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const before = new Map(objectsAt(old, 'spec', 'drivers').map((driver) => [textAt(driver, 'name'), driver]));
  return objectsAt(object, 'spec', 'drivers').flatMap((driver) => {
    const was = before.get(textAt(driver, 'name'));
    return was === undefined || equal(driver, was) ? [] : [invalidValue('CSINodeDriver', driver, 'field is immutable')];
  });
}
