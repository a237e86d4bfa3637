import type { ApiObject } from '@orch/machinery';
import { isObject, type Json, objectsAt, textAt } from '../values/fields.js';

/** The fields that a version lets field selectors name, by those names, and what reads them. */
export function selectableFields(version: Readonly<Json>): Readonly<Record<string, (object: ApiObject) => string>> {
  const paths = objectsAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath'));
  return Object.fromEntries(
    paths.map((path) => {
      const name = path.replace(/^\./, '');
      const members = name.split('.');
      return [name, (object: ApiObject) => textOf(object, members)];
    }),
  );
}

/** Empty where there is nothing. */
function textOf(object: ApiObject, members: readonly string[]): string {
  let value: unknown = object;
  for (const name of members) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
