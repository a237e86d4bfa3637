import { copy, type FieldError, invalidValue, required } from '@orch/machinery';
import type { ReplicationController, ReplicationControllerSpec } from '@orch/schema/types/core/v1';
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
import { ensureObject, isEmpty } from '../values/fields.js';
import { shownMap } from '../values/go-syntax.js';
import { containersOf, formatLabels } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';

/** Rules of ReplicationController; selector and labels default to the labels of the template. */
export const replicationController = (settings: KindSettings): KindDeclaration<ReplicationController> => ({
  generation: true,
  defaultPropagation: 'Orphan',
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const labels = spec.template?.metadata?.labels;
    if (!isEmpty(labels)) {
      if (isEmpty(spec.selector)) spec.selector = copy(labels);
      const metadata = ensureObject(object, 'metadata');
      if (isEmpty(metadata.labels)) metadata.labels = copy(labels);
    }
    defaultTemplate(spec);
  },
  gatedFields: TEMPLATE_FIELDS,
  validate: ({ spec }, names, old) => validateController(spec, podContext(names, settings, old?.spec?.template)),
  warnings: workloadWarnings<ReplicationController>('spec.template', ({ spec }) => spec?.template),
  validateStatus: validateReplicaStatus,
  row: (object) => ({
    Desired: object.spec?.replicas ?? 0,
    Current: object.status?.replicas ?? 0,
    Ready: object.status?.readyReplicas ?? 0,
    ...containersOf(object.spec?.template?.spec),
    Selector: formatLabels(object.spec?.selector ?? {}),
  }),
  selectableFields: { 'status.replicas': (object) => String(object.status?.replicas ?? 0) },
  scale: {
    ...workloadScale,
    read: (object) => ({
      ...workloadScale.read(object),
      selector: isEmpty(object.spec?.selector) ? '' : formatLabels(object.spec?.selector ?? {}),
    }),
  },
});

function validateController(spec: ReplicationControllerSpec | undefined, context: PodContext): FieldError[] {
  const selector = spec?.selector ?? {};
  const template = spec?.template;
  const counts = [...nonNegativeMembers(spec, 'spec', ['minReadySeconds'])];
  if (Object.keys(selector).length === 0) counts.push(required('spec.selector'));
  counts.push(...nonNegativeMembers(spec, 'spec', ['replicas']));
  if (!template) return [...counts, required('spec.template')];
  const labels = template.metadata?.labels ?? {};
  const selected = Object.entries(selector).every(([key, value]) => labels[key] === value);
  const text = '`selector` does not match template `labels`';
  return [
    ...counts,
    ...(selected ? [] : [invalidValue('spec.template.metadata.labels', shownMap(template.metadata?.labels), text)]),
    ...validateTemplate(template, 'spec.template', context),
    ...((spec?.replicas ?? 0) > 1 ? validateReadOnlyDisks(template, 'spec.template') : []),
    ...validateLasting(spec, 'ReplicationController'),
  ];
}
