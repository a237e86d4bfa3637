import { copy, type FieldError, invalidValue, required } from '@orch/machinery';
import { validateReplicaStatus } from '../apps/status-validation.js';
import { TEMPLATE_FIELDS } from '../apps/template-fields.js';
import { validateLasting } from '../apps/workload-validation.js';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { validateReadOnlyDisks, validateTemplate } from '../pods/template-validation.js';
import { nonNegativeMembers } from '../rules/checks.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';
import type { KindSettings } from '../rules/settings.js';
import { at, countAt, ensureObject, isEmpty, isObject, mapAt } from '../values/fields.js';
import { shownMap } from '../values/go-syntax.js';
import { containersOf, formatLabels } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';

export const replicationController = (settings: KindSettings): KindDeclaration => ({
  generation: true,
  defaultPropagation: 'Orphan',
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const labels = at(spec, 'template', 'metadata', 'labels');
    if (!isEmpty(labels)) {
      if (isEmpty(spec.selector)) spec.selector = copy(labels);
      const metadata = ensureObject(object, 'metadata');
      if (isEmpty(metadata.labels)) metadata.labels = copy(labels);
    }
    defaultTemplate(spec);
  },
  gatedFields: TEMPLATE_FIELDS,
  validate: ({ spec }, names, old) =>
    validateController(spec, podContext(names, settings, at(old, 'spec', 'template'))),
  warnings: workloadWarnings('spec', 'template'),
  validateStatus: validateReplicaStatus,
  row: (object) => ({
    Desired: countAt(object, 'spec', 'replicas'),
    Current: countAt(object, 'status', 'replicas'),
    Ready: countAt(object, 'status', 'readyReplicas'),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatLabels(mapAt(object, 'spec', 'selector')),
  }),
  selectableFields: { 'status.replicas': (object) => String(countAt(object, 'status', 'replicas')) },
  scale: {
    ...workloadScale,
    read: (object) => ({
      ...workloadScale.read(object),
      selector: isEmpty(at(object, 'spec', 'selector')) ? '' : formatLabels(mapAt(object, 'spec', 'selector')),
    }),
  },
});

function validateController(spec: unknown, context: PodContext): FieldError[] {
  const selector = mapAt(spec, 'selector');
  const template = at(spec, 'template');
  const counts = [...nonNegativeMembers(spec, 'spec', ['minReadySeconds'])];
  if (Object.keys(selector).length === 0) counts.push(required('spec.selector'));
  counts.push(...nonNegativeMembers(spec, 'spec', ['replicas']));
  if (!isObject(template)) return [...counts, required('spec.template')];
  const labels = mapAt(template, 'metadata', 'labels');
  const selected = Object.entries(selector).every(([key, value]) => labels[key] === value);
  const text = '`selector` does not match template `labels`';
  return [
    ...counts,
    ...(selected
      ? []
      : [invalidValue('spec.template.metadata.labels', shownMap(at(template, 'metadata', 'labels')), text)]),
    ...validateTemplate(template, 'spec.template', context),
    ...(countAt(spec, 'replicas') > 1 ? validateReadOnlyDisks(template, 'spec.template') : []),
    ...validateLasting(spec, 'ReplicationController'),
  ];
}
