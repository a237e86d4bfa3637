import { defaultPodSpec } from '../pods/pod-spec.js';
import { validateTemplate } from '../pods/pod-spec-validation.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, isObject, mapAt } from '../values/fields.js';
import { containersOf, formatLabels } from '../values/text.js';

export const podTemplate: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = at(object, 'template', 'spec');
    if (isObject(spec)) defaultPodSpec(spec);
  },
  validate: (object) => validateTemplate(object.template, 'template'),
  row: (object) => ({
    ...containersOf(at(object, 'template', 'spec')),
    'Pod Labels': formatLabels(mapAt(object, 'template', 'metadata', 'labels')),
  }),
};
