import { defaultTemplate } from '../pods/pod-spec.js';
import { containersOf, formatLabels, formatSelector } from '../printing/text.js';
import { equal } from '../rules/equal.js';
import { at, countAt, ensureObject, fill, mapAt } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Counts the changes of the template; what was a field in versions no longer served. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSet: KindDeclaration = {
  generation: true,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const strategy = ensureObject(spec, 'updateStrategy');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      fill(rolling, 'maxUnavailable', 1);
      fill(rolling, 'maxSurge', 0);
    }
    defaultTemplate(spec);
  },
  prepareForCreate(object) {
    fill(ensureObject(ensureObject(object, 'metadata'), 'annotations'), TEMPLATE_GENERATION, '1');
  },
  prepareForUpdate(object, old) {
    const before = Number(old.metadata?.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const same = equal(at(object, 'spec', 'template'), at(old, 'spec', 'template'));
    const annotations = ensureObject(ensureObject(object, 'metadata'), 'annotations');
    annotations[TEMPLATE_GENERATION] = String(same ? before : before + 1);
  },
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'selector'),
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
};
