import type { Schema } from '@orch/schema';
import { UnprocessablePatchError } from '../errors.js';

/** Schema rules for merging one field. Without a schema (untyped data) objects merge and lists are replaced. */
export interface MergeRules {
  /** Schema of the object, or of a list's items. */
  readonly schema: Schema | undefined;
  readonly strategy: 'merge' | 'replace';
  readonly mergeKey: string;
}

const UNTYPED: MergeRules = { schema: undefined, strategy: 'merge', mergeKey: '' };

/**
 * @param schema of the object that holds the field
 * @param form of the values to merge
 * @throws UnprocessablePatchError when a struct does not have the field
 */
export function mergeRules(schema: Schema | undefined, name: string, form: 'object' | 'list'): MergeRules {
  if (schema?.kind === 'map') return rulesOf(schema.values, [], '', form);
  if (schema?.kind !== 'struct') return form === 'list' ? { ...UNTYPED, strategy: 'replace' } : UNTYPED;
  const field = schema.fields.get(name);
  if (field) return rulesOf(field.schema, field.patchStrategy ?? [], field.patchMergeKey ?? '', form);
  throw new UnprocessablePatchError(
    'unknown-field',
    `unable to find api field in struct ${schema.id.slice(schema.id.lastIndexOf('.') + 1)} for the json field ${JSON.stringify(name)}`,
  );
}

function rulesOf(schema: Schema, strategies: readonly string[], mergeKey: string, form: 'object' | 'list'): MergeRules {
  if (form === 'list') {
    const items = schema.kind === 'list' ? schema.items : undefined;
    return { schema: items, strategy: strategies.includes('merge') ? 'merge' : 'replace', mergeKey };
  }
  return { schema, strategy: strategies.includes('replace') ? 'replace' : 'merge', mergeKey };
}
