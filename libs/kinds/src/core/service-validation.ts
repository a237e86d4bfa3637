import { type ApiObject, type FieldError, invalidValue } from '@orch/machinery';
import { at, textAt } from '../rules/fields.js';

/** A Service that keeps an address keeps this one. */
export function validateServiceUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const before = textAt(old, 'spec', 'clusterIP');
  const external = [object, old].some((each) => at(each, 'spec', 'type') === 'ExternalName');
  if (external || before === '' || textAt(object, 'spec', 'clusterIP') === before) return [];
  const field = 'spec.clusterIPs[0]';
  return [
    invalidValue(
      field,
      at(object, 'spec', 'clusterIPs') ?? textAt(object, 'spec', 'clusterIP'),
      'may not change once set',
    ),
  ];
}
