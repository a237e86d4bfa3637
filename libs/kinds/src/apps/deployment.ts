import { type ApiObject, copy, type FieldError, invalidValue } from '@orch/machinery';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { nonNegativeMembers } from '../rules/checks.js';
import { immutableSelector } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';
import { desiredChanged, keepDesired } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { equal } from '../values/equal.js';
import { at, countAt, ensureObject, fill, numberAt } from '../values/fields.js';
import { containersOf, formatSelector } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';
import { validateDeploymentStatus } from './status-validation.js';
import { validateDeploymentStrategy } from './strategy-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateReplicated } from './workload-validation.js';

/** Its controller copies them to its ReplicaSets, and has to hear of them. */
const annotationsChanged = (object: ApiObject, old: ApiObject): boolean =>
  !equal(object.metadata?.annotations ?? {}, old.metadata?.annotations ?? {});

export const deployment = (settings: KindSettings): KindDeclaration => ({
  resetFields: { status: [['spec'], ['metadata', 'labels']] },
  generation: { first: 1, rises: (object, old) => desiredChanged(object, old) || annotationsChanged(object, old) },
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const strategy = ensureObject(spec, 'strategy');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      fill(rolling, 'maxUnavailable', '25%');
      fill(rolling, 'maxSurge', '25%');
    }
    defaultTemplate(spec);
  },
  subresources: {
    status(object, old) {
      keepDesired(object, old);
      ensureObject(object, 'metadata').labels = copy(old.metadata?.labels);
    },
  },
  gatedFields: TEMPLATE_FIELDS,
  validate: ({ spec }, names, old) =>
    validateDeployment(spec, podContext(names, settings, at(old, 'spec', 'template'))),
  warnings: workloadWarnings('spec', 'template'),
  validateUpdate: immutableSelector,
  validateStatus: (object, _names, old) => validateDeploymentStatus(object, old),
  row: (object) => ({
    Ready: `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
    'Up-to-date': countAt(object, 'status', 'updatedReplicas'),
    Available: countAt(object, 'status', 'availableReplicas'),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatSelector(at(object, 'spec', 'selector')),
  }),
  scale: workloadScale,
});

function validateDeployment(spec: unknown, context: PodContext): FieldError[] {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  const late = deadline !== undefined && deadline <= countAt(spec, 'minReadySeconds');
  return [
    ...nonNegativeMembers(spec, 'spec', ['replicas']),
    ...validateReplicated(spec, context),
    ...validateDeploymentStrategy(at(spec, 'strategy'), 'spec.strategy'),
    ...nonNegativeMembers(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...(late ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')] : []),
  ];
}
