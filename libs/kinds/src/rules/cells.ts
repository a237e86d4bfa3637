import type { ApiObject, Names } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';
import { age } from '../values/age.js';
import type { Cell, KindDeclaration } from './kind-rules.js';

const GENERIC: Readonly<Record<string, (object: ApiObject, now: number) => Cell>> = {
  Name: (object) => object.metadata?.name ?? '',
  Age: (object, now) => age(object.metadata?.creationTimestamp, now),
  'Created At': (object) => object.metadata?.creationTimestamp ?? '',
};

/** The function that makes a row's cells, in the order of the definition's columns. */
export function cellsOf(
  definition: Pick<ResourceDefinition, 'columns'>,
  declared: KindDeclaration,
  names: Names,
): (object: ApiObject, now: number) => Cell[] {
  const columns = definition.columns.map(({ name }) => name);
  return (object, now) => {
    const row = declared.row?.(object, now, names) ?? {};
    return columns.map((column) => row[column] ?? GENERIC[column]?.(object, now) ?? '');
  };
}
