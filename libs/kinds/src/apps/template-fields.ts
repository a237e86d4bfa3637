import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import { POD_FIELDS } from '../pods/gated-fields.js';
import { gatedWithin } from '../rules/gated-fields.js';

/** Objects that make pods from a template. */
interface Workload {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/** Fields of the template at `spec.template`. */
export const TEMPLATE_FIELDS = gatedWithin(({ spec }: Workload) => spec?.template, POD_FIELDS);
