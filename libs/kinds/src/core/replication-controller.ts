import { defaultTemplate } from '../pods/pod-spec.js';
import { containersOf, formatLabels } from '../printing/text.js';
import { at, copy, countAt, ensureObject, isEmpty, mapAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';

export const replicationController: KindDeclaration = {
  generation: true,
  defaultPropagation: 'Orphan',
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const labels = at(spec, 'template', 'metadata', 'labels');
    if (!isEmpty(labels)) {
      if (isEmpty(spec.selector)) spec.selector = copy(labels);
      const metadata = ensureObject(object, 'metadata');
      if (isEmpty(metadata.labels)) metadata.labels = copy(labels);
    }
    defaultTemplate(spec);
  },
  row: (object) => ({
    Desired: countAt(object, 'spec', 'replicas'),
    Current: countAt(object, 'status', 'replicas'),
    Ready: countAt(object, 'status', 'readyReplicas'),
    ...containersOf(at(object, 'spec', 'template', 'spec')),
    Selector: formatLabels(mapAt(object, 'spec', 'selector')),
  }),
  selectableFields: { 'status.replicas': (object) => String(countAt(object, 'status', 'replicas')) },
  scale: {
    ...workloadScale,
    read: (object) => ({
      ...workloadScale.read(object),
      selector: isEmpty(at(object, 'spec', 'selector')) ? '' : formatLabels(mapAt(object, 'spec', 'selector')),
    }),
  },
};
