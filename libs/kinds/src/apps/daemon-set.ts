import { type ApiObject, type FieldError, invalidValue } from '@orch/machinery';
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
import { at, countAt, ensureObject, fill, isObject, mapAt } from '../values/fields.js';
import { shownSelector } from '../values/go-syntax.js';
import { containersOf, formatLabels, formatSelector } from '../values/text.js';
import { templateWarnings } from '../warnings/workloads.js';
import { validateDaemonSetStatus } from './status-validation.js';
import { validateDaemonSetStrategy } from './strategy-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateLasting, validateSelected } from './workload-validation.js';

/** Counts the changes of the template; what was a field in versions no longer served. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** The first where there is none yet, or what cannot be one: manifests that were converted say 0. */
function generationOf({ metadata }: ApiObject): number {
  const told = Number(metadata?.annotations?.[TEMPLATE_GENERATION]);
  return Number.isSafeInteger(told) && told > 0 ? told : 1;
}

const annotationsOf = (object: ApiObject) => ensureObject(ensureObject(object, 'metadata'), 'annotations');

function setGeneration(object: ApiObject, generation: number): void {
  annotationsOf(object)[TEMPLATE_GENERATION] = String(generation);
}

const hasTemplateOf = (object: ApiObject, other: ApiObject): boolean =>
  equal(at(object, 'spec', 'template'), at(other, 'spec', 'template'));

const ofTemplate = templateWarnings('spec', 'template');

export const daemonSet = (settings: KindSettings): KindDeclaration => ({
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
  validate: ({ spec }, names, old) => validateDaemonSet(spec, podContext(names, settings, at(old, 'spec', 'template'))),
  warnings: (object, names, old) => (old && hasTemplateOf(object, old) ? [] : ofTemplate(object, names)),
  validateUpdate: immutableSelector,
  validateStatus: (object, _names, old) => validateDaemonSetStatus(object, old),
  row: (object) => ({
    Desired: countAt(object, 'status', 'desiredNumberScheduled'),
    Current: countAt(object, 'status', 'currentNumberScheduled'),
    Ready: countAt(object, 'status', 'numberReady'),
    'Up-to-date': countAt(object, 'status', 'updatedNumberScheduled'),
    Available: countAt(object, 'status', 'numberAvailable'),
    'Node Selector': formatLabels(mapAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatSelector(at(object, 'spec', 'selector')),
  }),
});

function validateDaemonSet(spec: unknown, context: PodContext): FieldError[] {
  const selector = at(spec, 'selector');
  const errors = validateLabelSelector(selector, 'spec.selector');
  errors.push(...validateSelected(spec));
  if (isObject(selector) && selectsAll(selector)) {
    errors.push(invalidValue('spec.selector', shownSelector(selector), 'empty selector is invalid for daemonset'));
  }
  return [
    ...errors,
    ...validateTemplate(at(spec, 'template'), 'spec.template', context),
    ...validateReadOnlyDisks(at(spec, 'template'), 'spec.template'),
    ...validateLasting(spec, 'DaemonSet'),
    ...nonNegativeMembers(spec, 'spec', ['minReadySeconds']),
    ...validateDaemonSetStrategy(at(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...nonNegativeMembers(spec, 'spec', ['revisionHistoryLimit']),
  ];
}
