import { type FieldError, validateObjectMetaUpdate } from '@orch/machinery';
import type { Draft } from './draft.js';
import { invalidObject, validateMeta } from './object-checks.js';

/** The rules of the kind, in the version that is stored. @throws StatusError 422 naming every field */
export function validation(draft: Draft): void {
  const { request, object } = draft;
  const errors = [...validateMeta(request.endpoint, object), ...kindErrors(draft)];
  if (errors.length > 0) throw invalidObject(request.endpoint, object, errors);
}

function kindErrors({ request: { endpoint }, object, old, served }: Draft): FieldError[] {
  const { storageRules: rules } = endpoint;
  if (old)
    return [
      ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}),
      ...rules.validateUpdate(object, old),
    ];
  // What the version that was sent asks of new objects, beside what is asked in every version.
  return [
    ...(endpoint.conversion ? endpoint.rules.validateCreate(served) : []),
    ...rules.validateCreate(object).map((error) => ({ ...error, field: endpoint.rules.refusedFieldName(error.field) })),
  ];
}
