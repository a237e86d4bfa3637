import type { Attributes } from '../attributes.js';
import type { PolicyBinding } from './policies.js';

/** Most bytes of one annotation value, and of all values of one key together. */
const LONGEST_NOTE = 10 * 1024;
const MOST_NOTES = 64 * 1024;

/** Collects the audit annotations of all bindings of one policy: each value once, in order, as far as there is room. */
export class AuditAnnotations {
  readonly #values = new Map<string, { readonly texts: Set<string>; left: number }>();

  /** Adds a value; it is cut to the most bytes of one, and dropped if its key has no room left. */
  add(key: string, value: string): void {
    const cut = shortened(value);
    const values = this.#values.get(key) ?? { texts: new Set(), left: MOST_NOTES };
    this.#values.set(key, values);
    if (values.texts.has(cut)) return;
    values.left -= Buffer.byteLength(cut);
    if (values.left >= 0) values.texts.add(cut);
  }

  /** Writes the annotations to the audit event, under keys qualified by the policy. */
  publish(policy: string, attributes: Attributes): void {
    for (const [key, { texts }] of this.#values) attributes.annotate(`${policy}/${key}`, [...texts].join(', '));
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
  const failure = {
    message,
    policy: spec.policyName ?? '',
    binding: name,
    expressionIndex: at,
    validationActions: actions,
  };
  return JSON.stringify([failure]).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
