import type { Draft } from './draft.js';

/** Defaults of the version that was sent, which mutating admission and owners see. */
export function defaults({ request: { endpoint }, served }: Draft): void {
  endpoint.model.fillDefaults(served);
  endpoint.rules.defaults(served);
}
