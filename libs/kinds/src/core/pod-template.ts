import type { PodTemplate } from '@orch/schema/types/core/v1';
import { POD_FIELDS } from '../pods/gated-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultPodSpec } from '../pods/pod-spec.js';
import { validateTemplate } from '../pods/template-validation.js';
import { gatedWithin } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { containersOf, formatLabels } from '../values/text.js';
import { templateWarnings } from '../warnings/workloads.js';

/** Rules of PodTemplate. */
export const podTemplate = (settings: KindSettings): KindDeclaration<PodTemplate> => ({
  generation: true,
  gatedFields: gatedWithin(({ template }: PodTemplate) => template, POD_FIELDS),
  defaults(object) {
    const spec = object.template?.spec;
    if (spec) defaultPodSpec(spec);
  },
  validate: ({ template }, names, old) =>
    validateTemplate(template, 'template', podContext(names, settings, old?.template)),
  warnings: templateWarnings<PodTemplate>('template', ({ template }) => template),
  row: (object) => ({
    ...containersOf(object.template?.spec),
    'Pod Labels': formatLabels(object.template?.metadata?.labels ?? {}),
  }),
});
