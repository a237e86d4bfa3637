import { type ApiObject, type FieldError, invalidValue, type Names } from '@orch/machinery';

const DEPENDENTS = ['orphan', 'foregroundDeletion'];

/** Returns the errors of the name of a finalizer without a domain. */
export const finalizerNameErrors = (name: string, names: Names): string[] =>
  name.includes('/') || name === names.product || DEPENDENTS.includes(name)
    ? []
    : ['name is neither a standard finalizer name nor is it fully qualified'];

/**
 * Finalizers of the built-in kinds have a domain, or are the product's own.
 * @param old in an update, the object as it is stored: finalizers that it has may stay
 */
export function validateFinalizerNames(object: ApiObject, old: ApiObject | undefined, names: Names): FieldError[] {
  const held = new Set(old?.metadata?.finalizers);
  return (object.metadata?.finalizers ?? []).flatMap((name, index) =>
    held.has(name)
      ? []
      : finalizerNameErrors(name, names).map((text) => invalidValue(`metadata.finalizers[${index}]`, name, text)),
  );
}
