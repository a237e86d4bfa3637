import { defaultTemplate } from '../pods/pod-spec.js';
import { containersOf, formatSelector } from '../printing/text.js';
import { at, countAt, ensureObject } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';

export const replicaSet: KindDeclaration = {
  generation: true,
  defaults: (object) => defaultTemplate(ensureObject(object, 'spec')),
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'selector'),
  row: (object) => ({
    Desired: countAt(object, 'spec', 'replicas'),
    Current: countAt(object, 'status', 'replicas'),
    Ready: countAt(object, 'status', 'readyReplicas'),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatSelector(at(object, 'spec', 'selector')),
  }),
  selectableFields: { 'status.replicas': (object) => String(countAt(object, 'status', 'replicas')) },
  scale: workloadScale,
};
