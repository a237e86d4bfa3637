import type { Draft } from './draft.js';

/**
 * Who owns which field, drawn before admission so that what plugins set belongs to nobody. Nobody owns anything yet: what
 * clients and plugins say of it is dropped.
 */
export function ownership({ served }: Draft): void {
  delete served.metadata?.managedFields;
}
