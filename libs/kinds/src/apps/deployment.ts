import { copy, type FieldError, invalidValue } from '@orch/machinery';
import type { Deployment, DeploymentSpec } from '@orch/schema/types/apps/v1';
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
import { ensureObject, fill } from '../values/fields.js';
import { containersOf, formatSelector } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';
import { validateDeploymentStatus } from './status-validation.js';
import { validateDeploymentStrategy } from './strategy-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateReplicated } from './workload-validation.js';

/** Returns whether the annotations have changed; the controller must see this, as it copies them to its ReplicaSets. */
const annotationsChanged = (object: Deployment, old: Deployment): boolean =>
  !equal(object.metadata?.annotations ?? {}, old.metadata?.annotations ?? {});

/** Rules of Deployment; annotations count to the generation. */
export const deployment = (settings: KindSettings): KindDeclaration<Deployment> => ({
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
  validate: ({ spec }, names, old) => validateDeployment(spec, podContext(names, settings, old?.spec?.template)),
  warnings: workloadWarnings<Deployment>('spec.template', ({ spec }) => spec?.template),
  validateUpdate: immutableSelector,
  validateStatus: (object, _names, old) => validateDeploymentStatus(object, old),
  row: (object) => ({
    Ready: `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    'Up-to-date': object.status?.updatedReplicas ?? 0,
    Available: object.status?.availableReplicas ?? 0,
    ...containersOf(object.spec?.template?.spec),
    Selector: formatSelector(object.spec?.selector),
  }),
  scale: workloadScale,
});

function validateDeployment(spec: DeploymentSpec | undefined, context: PodContext): FieldError[] {
  const deadline = spec?.progressDeadlineSeconds;
  const late = deadline !== undefined && deadline <= (spec?.minReadySeconds ?? 0);
  return [
    ...nonNegativeMembers(spec, 'spec', ['replicas']),
    ...validateReplicated(spec, context),
    ...validateDeploymentStrategy(spec?.strategy, 'spec.strategy'),
    ...nonNegativeMembers(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...(late ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')] : []),
  ];
}
