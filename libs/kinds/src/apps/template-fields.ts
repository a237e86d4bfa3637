import { POD_FIELDS } from '../pods/gated-fields.js';
import { gatedWithin } from '../rules/gated-fields.js';

/** Of the template at `spec.template`. */
export const TEMPLATE_FIELDS = gatedWithin(['spec', 'template'], POD_FIELDS);
