import { type FieldError, invalidValue } from '@orch/machinery';
import type { DaemonSet, DaemonSetSpec } from '@orch/schema/types/apps/v1';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { validateReadOnlyDisks, validateTemplate } from '../pods/template-validation.js';
import { nonNegativeMembers } from '../rules/checks.js';
import { immutableSelector } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { selectsAll, validateLabelSelector } from '../rules/label-selector.js';
import type { KindSettings } from '../rules/settings.js';
import { equal } from '../values/equal.js';
import { ensureObject, fill } from '../values/fields.js';
import { shownSelector } from '../values/go-syntax.js';
import { containersOf, formatLabels, formatSelector } from '../values/text.js';
import { templateWarnings } from '../warnings/workloads.js';
import { validateDaemonSetStatus } from './status-validation.js';
import { validateDaemonSetStrategy } from './strategy-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateLasting, validateSelected } from './workload-validation.js';

/** Counts the changes of the template; what was a field in versions no longer served. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Returns the template generation; 1 if it is absent or invalid, such as 0 in converted manifests. */
function generationOf({ metadata }: DaemonSet): number {
  const stated = Number(metadata?.annotations?.[TEMPLATE_GENERATION]);
  return Number.isSafeInteger(stated) && stated > 0 ? stated : 1;
}

const annotationsOf = (object: DaemonSet) => ensureObject(ensureObject(object, 'metadata'), 'annotations');

function setGeneration(object: DaemonSet, generation: number): void {
  annotationsOf(object)[TEMPLATE_GENERATION] = String(generation);
}

const hasTemplateOf = (object: DaemonSet, other: DaemonSet): boolean =>
  equal(object.spec?.template, other.spec?.template);

const ofTemplate = templateWarnings<DaemonSet>('spec.template', ({ spec }) => spec?.template);

/** Rules of DaemonSet, which keeps a template generation in an annotation. */
export const daemonSet = (settings: KindSettings): KindDeclaration<DaemonSet> => ({
  generation: true,
  gatedFields: TEMPLATE_FIELDS,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const strategy = ensureObject(spec, 'updateStrategy');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      fill(rolling, 'maxUnavailable', 1);
      fill(rolling, 'maxSurge', 0);
    }
    defaultTemplate(spec);
    // As of the hub it comes from: it is there before anything is counted, and so has an owner.
    fill(annotationsOf(object), TEMPLATE_GENERATION, '0');
  },
  prepareForCreate(object) {
    setGeneration(object, generationOf(object));
  },
  prepareForUpdate(object, old) {
    const before = generationOf(old);
    setGeneration(object, hasTemplateOf(object, old) ? before : before + 1);
  },
  validate: ({ spec }, names, old) => validateDaemonSet(spec, podContext(names, settings, old?.spec?.template)),
  warnings: (object, names, old) => (old && hasTemplateOf(object, old) ? [] : ofTemplate(object, names)),
  validateUpdate: immutableSelector,
  validateStatus: (object, _names, old) => validateDaemonSetStatus(object, old),
  row: (object) => ({
    Desired: object.status?.desiredNumberScheduled ?? 0,
    Current: object.status?.currentNumberScheduled ?? 0,
    Ready: object.status?.numberReady ?? 0,
    'Up-to-date': object.status?.updatedNumberScheduled ?? 0,
    Available: object.status?.numberAvailable ?? 0,
    'Node Selector': formatLabels(object.spec?.template?.spec?.nodeSelector ?? {}),
    ...containersOf(object.spec?.template?.spec),
    Selector: formatSelector(object.spec?.selector),
  }),
});

function validateDaemonSet(spec: DaemonSetSpec | undefined, context: PodContext): FieldError[] {
  const selector = spec?.selector;
  const errors = validateLabelSelector(selector, 'spec.selector');
  errors.push(...validateSelected(spec));
  if (selector && selectsAll(selector)) {
    errors.push(invalidValue('spec.selector', shownSelector(selector), 'empty selector is invalid for daemonset'));
  }
  return [
    ...errors,
    ...validateTemplate(spec?.template, 'spec.template', context),
    ...validateReadOnlyDisks(spec?.template, 'spec.template'),
    ...validateLasting(spec, 'DaemonSet'),
    ...nonNegativeMembers(spec, 'spec', ['minReadySeconds']),
    ...validateDaemonSetStrategy(spec?.updateStrategy, 'spec.updateStrategy'),
    ...nonNegativeMembers(spec, 'spec', ['revisionHistoryLimit']),
  ];
}
