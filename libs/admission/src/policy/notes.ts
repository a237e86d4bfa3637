import type { Attributes } from '../attributes.js';
import type { PolicyBinding } from './policies.js';

/** Most bytes of one annotation value, and of all values of one key together. */
const LONGEST_NOTE = 10 * 1024;
const MOST_NOTES = 64 * 1024;

/** Collects the audit annotations of all bindings of one policy: each value once, in order, as far as there is room. */
export class AuditAnnotations {
  readonly #values = new Map<string, { readonly told: Set<string>; left: number }>();

  /** Adds a value; it is cut to the most bytes of one, and dropped if its key has no room left. */
  add(key: string, value: string): void {
    const cut = shortened(value);
    const values = this.#values.get(key) ?? { told: new Set(), left: MOST_NOTES };
    this.#values.set(key, values);
    if (values.told.has(cut)) return;
    values.left -= Buffer.byteLength(cut);
    if (values.left >= 0) values.told.add(cut);
  }

  /** Writes the annotations to the audit event, under keys qualified by the policy. */
  publish(policy: string, attributes: Attributes): void {
    for (const [key, { told }] of this.#values) attributes.annotate(`${policy}/${key}`, [...told].join(', '));
  }
}

function shortened(value: string): string {
  if (value.length * 3 <= LONGEST_NOTE || Buffer.byteLength(value) <= LONGEST_NOTE) return value;
  return Buffer.from(value).subarray(0, LONGEST_NOTE).toString();
}

/**
 * Returns the annotation for a failed validation: JSON as the reference writes it.
 * @param at index of the validation in its policy
 */
export function failureNote(binding: PolicyBinding, at: number, message: string): string {
  const { name, spec, actions } = binding;
  const told = {
    message,
    policy: spec.policyName ?? '',
    binding: name,
    expressionIndex: at,
    validationActions: actions,
  };
  return JSON.stringify([told]).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
