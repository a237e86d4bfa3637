import { POD_FIELDS } from '../pods/gated-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultPodSpec } from '../pods/pod-spec.js';
import { validateTemplate } from '../pods/template-validation.js';
import { gatedWithin } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { at, isObject, mapAt } from '../values/fields.js';
import { containersOf, formatLabels } from '../values/text.js';
import { templateWarnings } from '../warnings/workloads.js';

export const podTemplate = (settings: KindSettings): KindDeclaration => ({
  generation: true,
  gatedFields: gatedWithin(['template'], POD_FIELDS),
  defaults(object) {
    const spec = at(object, 'template', 'spec');
    if (isObject(spec)) defaultPodSpec(spec);
  },
  validate: ({ template }, names, old) =>
    validateTemplate(template, 'template', podContext(names, settings, old?.template)),
  warnings: templateWarnings('template'),
  row: (object) => ({
    ...containersOf(at(object, 'template', 'spec')),
    'Pod Labels': formatLabels(mapAt(object, 'template', 'metadata', 'labels')),
  }),
});
