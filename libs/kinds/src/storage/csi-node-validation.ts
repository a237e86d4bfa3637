import { duplicate, type FieldError, invalidValue, qualifiedNameErrors, required } from '@orch/machinery';
import type { CSINode, CSINodeDriver } from '@orch/schema/types/storage/v1';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach, nonNegativeMembers } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { equal } from '../values/equal.js';

/** Bytes of the id that a driver gives a node. */
const MAX_NODE_ID = 256;

/** The CSI drivers of a node. */
export function validateNodeDrivers(object: CSINode): FieldError[] {
  const seen = new Set<string>();
  return each(object.spec?.drivers ?? [], 'spec.drivers', (driver, path) => {
    const name = driver.name ?? '';
    const again = seen.has(name) ? [duplicate(`${path}.name`, name)] : [];
    seen.add(name);
    return [
      ...validateDriverName(name, `${path}.name`),
      ...validateNodeId(driver.nodeID ?? '', `${path}.nodeID`),
      ...nonNegativeMembers(driver.allocatable, `${path}.allocatable`, ['count']),
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
function validateTopologyKeys(driver: CSINodeDriver, path: string): FieldError[] {
  const seen = new Set<string>();
  return (driver.topologyKeys ?? []).flatMap((key) => {
    const again = seen.has(key) ? [duplicate(path, key)] : [];
    seen.add(key);
    return [...(key === '' ? [required(path)] : []), ...again, ...invalidEach(path, key, qualifiedNameErrors(key))];
  });
}

/** Refuses changes of drivers that remain. */
export function validateNodeDriversUpdate(object: CSINode, old: CSINode): FieldError[] {
  const before = new Map((old.spec?.drivers ?? []).map((driver) => [driver.name ?? '', driver]));
  return (object.spec?.drivers ?? []).flatMap((driver) => {
    const was = before.get(driver.name ?? '');
    return was === undefined || equal(driver, was) ? [] : [invalidValue('CSINodeDriver', driver, 'field is immutable')];
  });
}
