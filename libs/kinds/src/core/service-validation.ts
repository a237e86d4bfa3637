import { type ApiObject, type FieldError, invalidValue } from '@orch/machinery';
import { at, textAt } from '../rules/fields.js';

/** Members that say where a Service is reached, of which one that is but another name has none. */
export const OF_ADDRESSES = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

export function validateNewService(object: ApiObject): FieldError[] {
  if (at(object, 'spec', 'type') !== 'ExternalName') return [];
  return OF_ADDRESSES.flatMap((name) => {
    const value = at(object, 'spec', name);
    const empty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    return empty ? [] : [invalidValue(`spec.${name}`, value, 'may not be set for ExternalName services')];
  });
}

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
