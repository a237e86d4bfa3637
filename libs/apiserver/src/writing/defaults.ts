import { inSlices } from '../decoding/turns.js';
import type { Draft } from './draft.js';

/** Defaults of the version that was sent, which mutating admission and owners see. */
export function defaults({ request: { endpoint }, operation, served }: Draft): void | Promise<void> {
  const filling = inSlices(endpoint.model.fillDefaults(served, operation === 'CREATE'));
  if (filling) return filling.then(() => endpoint.rules.defaults(served));
  endpoint.rules.defaults(served);
}
