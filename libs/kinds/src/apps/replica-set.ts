import type { ReplicaSet } from '@orch/schema/types/apps/v1';
import { podContext } from '../pods/kept-rules.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { nonNegativeMembers } from '../rules/checks.js';
import { immutableSelector } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';
import type { KindSettings } from '../rules/settings.js';
import { ensureObject } from '../values/fields.js';
import { containersOf, formatSelector } from '../values/text.js';
import { workloadWarnings } from '../warnings/workloads.js';
import { validateReplicaStatus } from './status-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateReplicated } from './workload-validation.js';

/** Rules of ReplicaSet; the selector is immutable. */
export const replicaSet = (settings: KindSettings): KindDeclaration<ReplicaSet> => ({
  generation: true,
  defaults: (object) => defaultTemplate(ensureObject(object, 'spec')),
  gatedFields: TEMPLATE_FIELDS,
  validate: ({ spec }, names, old) => [
    ...nonNegativeMembers(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...validateReplicated(spec, podContext(names, settings, old?.spec?.template)),
  ],
  warnings: workloadWarnings<ReplicaSet>('spec.template', ({ spec }) => spec?.template),
  validateUpdate: immutableSelector,
  validateStatus: validateReplicaStatus,
  row: (object) => ({
    Desired: object.spec?.replicas ?? 0,
    Current: object.status?.replicas ?? 0,
    Ready: object.status?.readyReplicas ?? 0,
    ...containersOf(object.spec?.template?.spec),
    Selector: formatSelector(object.spec?.selector),
  }),
  selectableFields: { 'status.replicas': (object) => String(object.status?.replicas ?? 0) },
  scale: workloadScale,
});
