import { defaultTemplate } from '../pods/pod-spec.js';
import { containersOf, formatSelector } from '../printing/text.js';
import { at, copy, countAt, ensureObject, fill } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';
import { keepDesired } from '../rules/separation.js';

export const deployment: KindDeclaration = {
  generation: true,
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
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'selector'),
  row: (object) => ({
    Ready: `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
    'Up-to-date': countAt(object, 'status', 'updatedReplicas'),
    Available: countAt(object, 'status', 'availableReplicas'),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatSelector(at(object, 'spec', 'selector')),
  }),
  scale: workloadScale,
};
