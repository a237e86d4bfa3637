import { dnsSubdomainErrors, type FieldError, invalidValue } from '@orch/machinery';
import type { CSIStorageCapacity } from '@orch/schema/types/storage/v1';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { selectorWarnings } from '../warnings/node-labels.js';

/** Rules of CSIStorageCapacity; topology and class are immutable. */
export const csiStorageCapacity: KindDeclaration<CSIStorageCapacity> = {
  unconditionalUpdate: false,
  validate: validateCapacity,
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'nodeTopology'),
    ...immutableField(object, old, 'storageClassName'),
  ],
  warnings: ({ nodeTopology }, names) => selectorWarnings(nodeTopology, 'nodeTopology', names),
  row: (object) => ({ StorageClassName: object.storageClassName ?? '', Capacity: object.capacity ?? '' }),
};

function validateCapacity(object: CSIStorageCapacity): FieldError[] {
  const [name, capacity] = [object.storageClassName ?? '', object.capacity ?? ''];
  const negative = capacity !== '' && (quantityOf(capacity)?.nanos ?? 0n) < 0n;
  return [
    ...validateLabelSelector(object.nodeTopology, 'nodeTopology'),
    ...invalidEach('storageClassName', name, dnsSubdomainErrors(name)),
    ...(negative ? [invalidValue('capacity', capacity, 'must be greater than or equal to 0')] : []),
  ];
}
