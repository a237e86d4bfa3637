import { at, countAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

const limit = (value: unknown): string => (value === undefined || value === null ? 'N/A' : String(value));

export const podDisruptionBudget: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  row: (object) => ({
    'Min Available': limit(at(object, 'spec', 'minAvailable')),
    'Max Unavailable': limit(at(object, 'spec', 'maxUnavailable')),
    'Allowed Disruptions': countAt(object, 'status', 'disruptionsAllowed'),
  }),
};
