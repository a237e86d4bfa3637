import {
  badRequest,
  FieldSelector,
  isOfSet,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { Selection } from '@orch/watchcache';

/** Fields that every type can be selected by. */
const COMMON_FIELDS = ['metadata.name', 'metadata.namespace'];
const KEY_FIELDS: ReadonlySet<string> = new Set(COMMON_FIELDS.map((field) => `field:${field}`));

/**
 * Compiles `labelSelector` and `fieldSelector` of a query; undefined when neither restricts anything.
 * @throws StatusError 400 for malformed selectors, and for fields that the type cannot be selected by
 */
export function selectionOf(query: URLSearchParams, endpoint: Endpoint, name: string): Selection | undefined {
  const labels = parseOr400(query.get('labelSelector'), parseLabelSelector);
  const fields = parseOr400(query.get('fieldSelector'), parseFieldSelector);
  return compile(labels, fields && storedFields(fields, endpoint), name);
}

function parseOr400<T>(text: string | null, parse: (text: string) => T): T | undefined {
  if (text === null || text === '') return undefined;
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : 'the selector cannot be read');
  }
}

/** Returns the selector with the names that the fields have in stored objects. */
function storedFields({ requirements }: FieldSelector, { rules, model }: Endpoint): FieldSelector {
  const stored = requirements.map((requirement) => {
    const { field } = requirement;
    const isDeclared = model.struct === undefined && rules.selectableFieldNames.includes(field);
    if (isOfSet(requirement) && !isDeclared) {
      throw badRequest(`sets are not supported for field label: ${field}`);
    }
    if (!COMMON_FIELDS.includes(field) && !rules.selectableFieldNames.includes(field)) {
      throw badRequest(
        rules.selectableFieldNames.length > 0
          ? `field label not supported: ${field}`
          : `${JSON.stringify(field)} is not a known field selector: only ${COMMON_FIELDS.map((name) => JSON.stringify(name)).join(', ')}`,
      );
    }
    return { ...requirement, field: rules.storedFieldName(field) };
  });
  return new FieldSelector(stored);
}

function compile(
  labels: LabelSelector | undefined,
  fields: FieldSelector | undefined,
  name: string,
): Selection | undefined {
  if (!labels && !fields && name === '') return undefined;
  const equals = new Map<`label:${string}` | `field:${string}`, string>();
  for (const [key, value] of labels?.equalities() ?? []) equals.set(`label:${key}`, value);
  for (const [field, value] of fields?.equalities() ?? []) equals.set(`field:${field}`, value);
  if (name !== '') equals.set('field:metadata.name', name);
  const conditions = (fields?.requirements.length ?? 0) + (name === '' ? 0 : 1);
  return {
    key: JSON.stringify([labels?.canonical ?? '', fields?.canonical ?? '', name]),
    equals,
    // Each condition is an equality, and all equalities are of the key's fields.
    byKey: labels === undefined && equals.size === conditions && [...equals.keys()].every((key) => KEY_FIELDS.has(key)),
    terms: (labels?.terms ?? 0) + (fields?.terms ?? 0) + (name === '' ? 0 : 1),
    matches: (attributes) =>
      (name === '' || attributes.fields['metadata.name'] === name) &&
      (labels === undefined || labels.matches(attributes.labels)) &&
      (fields === undefined || fields.matches(attributes.fields)),
  };
}
