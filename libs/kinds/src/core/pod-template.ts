import { dropDisabledTemplateFields } from '../pods/disabled-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultPodSpec } from '../pods/pod-spec.js';
import { validateTemplate } from '../pods/template-validation.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, isObject, mapAt } from '../values/fields.js';
import { containersOf, formatLabels } from '../values/text.js';

export const podTemplate: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = at(object, 'template', 'spec');
    if (isObject(spec)) defaultPodSpec(spec);
  },
  prepareForCreate: ({ template }) => dropDisabledTemplateFields(template),
  prepareForUpdate: ({ template }, old) => dropDisabledTemplateFields(template, old.template),
  validate: ({ template }, names, old) => validateTemplate(template, 'template', podContext(names, old?.template)),
  row: (object) => ({
    ...containersOf(at(object, 'template', 'spec')),
    'Pod Labels': formatLabels(mapAt(object, 'template', 'metadata', 'labels')),
  }),
};
