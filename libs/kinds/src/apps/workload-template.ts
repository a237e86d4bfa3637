import { dropDisabledTemplateFields } from '../pods/disabled-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at } from '../values/fields.js';

/** What happens to the template at `spec.template` before a workload is stored. */
export const workloadTemplate = {
  prepareForCreate: ({ spec }) => dropDisabledTemplateFields(at(spec, 'template')),
  prepareForUpdate: ({ spec }, old) => dropDisabledTemplateFields(at(spec, 'template'), at(old.spec, 'template')),
} as const satisfies Partial<KindDeclaration>;
