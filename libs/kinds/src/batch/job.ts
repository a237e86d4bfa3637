import type { Names } from '@orch/machinery';
import type { Job } from '@orch/schema/types/batch/v1';
import { TEMPLATE_FIELDS } from '../apps/template-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { humanDuration, timeOf } from '../values/age.js';
import { ensureObject, fill, fillZero, isEmpty } from '../values/fields.js';
import { containersOf, formatSelector } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';
import { validateIdentity, validateJobStatus } from './job-identity-validation.js';
import { validateJob, validateJobUpdate } from './job-validation.js';

/** Marks Jobs whose pods are counted by their finalizers, as all are. */
const TRACKED = 'batch.orch.io/job-tracking';

/** Rules of Job; a deletion orphans its pods by default, with a warning. */
export const job = (settings: KindSettings): KindDeclaration<Job> => ({
  generation: true,
  defaultPropagation: 'Orphan',
  deletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  gatedFields: [gatedMember('JobPodFailurePolicy', 'spec.podFailurePolicy'), ...TEMPLATE_FIELDS],
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    fill(spec, 'parallelism', 1);
    for (const rule of spec.podFailurePolicy?.rules ?? []) {
      for (const pattern of rule.onPodConditions ?? []) fillZero(pattern, 'status', 'True');
    }
    labelLikePods(object);
    defaultTemplate(spec);
  },
  prepareForCreate(object, names) {
    markTracked(object, names);
    generateSelector(object, names);
  },
  prepareForUpdate(object, old, names) {
    if (old.metadata?.annotations?.[names.key(TRACKED)] !== undefined) markTracked(object, names);
  },
  validate: (object, names, old) => [
    ...validateIdentity(object, names, old),
    ...validateJob(object.spec, podContext(names, settings, old?.spec?.template)),
  ],
  validateUpdate: (object, old) => validateJobUpdate(object, old, settings.features.enabled('ElasticIndexedJob')),
  warnings: workloadWarnings<Job>('spec.template', ({ spec }) => spec?.template),
  validateStatus: validateJobStatus,
  row: (object, now) => ({
    Completions: completions(object),
    Duration: duration(object, now),
    ...containersOf(object.spec?.template?.spec),
    Selector: formatSelector(object.spec?.selector),
  }),
  selectableFields: { 'status.successful': (object) => String(object.status?.succeeded ?? 0) },
});

function markTracked(object: Job, names: Names): void {
  ensureObject(ensureObject(object, 'metadata'), 'annotations')[names.key(TRACKED)] = '';
}

/**
 * A Job without labels has those of its pods: the very same map, so that both get those that come with the selector.
 */
function labelLikePods(object: Job): void {
  const metadata = ensureObject(object, 'metadata');
  const labels = object.spec?.template?.metadata?.labels;
  if (isEmpty(metadata.labels) && !isEmpty(labels)) metadata.labels = labels as Record<string, string>;
}

/** Unless its author selects by hand, a Job owns the pods that carry its uid. */
function generateSelector(object: Job, names: Names): void {
  const spec = ensureObject(object, 'spec');
  if (spec.manualSelector === true) return;
  const name = object.metadata?.name ?? '';
  const uid = object.metadata?.uid ?? '';
  const uidLabel = names.key('batch.orch.io/controller-uid');
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  fill(labels, 'job-name', name);
  fill(labels, names.key('batch.orch.io/job-name'), name);
  fill(labels, 'controller-uid', uid);
  fill(labels, uidLabel, uid);
  fill(ensureObject(ensureObject(spec, 'selector'), 'matchLabels'), uidLabel, uid);
  labelLikePods(object);
}

function completions(object: Job): string {
  const succeeded = object.status?.succeeded ?? 0;
  const wanted = object.spec?.completions;
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = object.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(object: Job, now: number): string {
  const start = timeOf(object.status?.startTime);
  if (start === undefined) return '';
  return humanDuration((timeOf(object.status?.completionTime) ?? now) - start);
}
