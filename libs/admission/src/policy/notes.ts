import type { Attributes } from '../attributes.js';
import type { Binding } from './policies.js';

/** Bytes of a note that the audit log gets. */
const LONGEST_NOTE = 10 * 1024;

/** What the bindings of one policy have to note: each value once, in the order in which they come. */
export class Notes {
  readonly #values = new Map<string, string[]>();

  add(key: string, value: string): void {
    const cut = shortened(value);
    const values = this.#values.get(key) ?? [];
    if (!values.includes(cut)) this.#values.set(key, [...values, cut]);
  }

  publish(policy: string, attributes: Attributes): void {
    for (const [key, values] of this.#values) attributes.annotate(`${policy}/${key}`, values.join(', '));
  }
}

function shortened(value: string): string {
  if (value.length * 3 <= LONGEST_NOTE || Buffer.byteLength(value) <= LONGEST_NOTE) return value;
  return Buffer.from(value).subarray(0, LONGEST_NOTE).toString();
}

/** A failed validation as the audit log has it: JSON as the reference writes it. @param at of the validation in its policy */
export function failureNote(binding: Binding, at: number, message: string): string {
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
