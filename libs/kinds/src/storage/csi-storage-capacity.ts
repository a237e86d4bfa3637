import { dnsSubdomainErrors, type FieldError, invalidValue } from '@orch/machinery';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { at, textAt } from '../values/fields.js';
import { selectorWarnings } from '../warnings/node-labels.js';

export const csiStorageCapacity: KindDeclaration = {
  unconditionalUpdate: false,
  validate: validateCapacity,
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'nodeTopology'),
    ...immutableField(object, old, 'storageClassName'),
  ],
  warnings: ({ nodeTopology }, names) => selectorWarnings(nodeTopology, 'nodeTopology', names),
  row: (object) => ({ StorageClassName: textAt(object, 'storageClassName'), Capacity: textAt(object, 'capacity') }),
};

function validateCapacity(object: unknown): FieldError[] {
  const [name, capacity] = [textAt(object, 'storageClassName'), textAt(object, 'capacity')];
  const negative = capacity !== '' && (quantityOf(capacity)?.nanos ?? 0n) < 0n;
  return [
    ...validateLabelSelector(at(object, 'nodeTopology'), 'nodeTopology'),
    ...invalidEach('storageClassName', name, dnsSubdomainErrors(name)),
    ...(negative ? [invalidValue('capacity', capacity, 'must be greater than or equal to 0')] : []),
  ];
}
