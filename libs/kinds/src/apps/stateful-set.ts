import { defaultTemplate } from '../pods/pod-spec.js';
import { containersOf } from '../printing/text.js';
import { at, countAt, ensureObject, fill, fillZero, objectsAt } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';

export const statefulSet: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const strategy = ensureObject(spec, 'updateStrategy');
    if (strategy.type === 'RollingUpdate') fill(ensureObject(strategy, 'rollingUpdate'), 'partition', 0);
    const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
    fillZero(retention, 'whenDeleted', 'Retain');
    fillZero(retention, 'whenScaled', 'Retain');
    for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
    }
    defaultTemplate(spec);
  },
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'spec', 'selector'),
    ...immutableField(object, old, 'spec', 'serviceName'),
    ...immutableField(object, old, 'spec', 'podManagementPolicy'),
    ...immutableField(object, old, 'spec', 'volumeClaimTemplates'),
  ],
  row: (object) => ({
    Ready: `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
    ...containersOf(at(object, 'spec', 'template', 'spec')),
  }),
  scale: workloadScale,
};
