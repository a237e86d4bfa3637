import { notSupported } from '@orch/machinery';
import type { Attributes } from '../../attributes.js';
import { plainFailure } from '../../failures.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { oldPodOf, placedContainers, podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/** Who runs an image that is on a node already must be able to pull it: every container pulls always. */
export const alwaysPullImages: PluginMaker = () => ({
  name: 'AlwaysPullImages',
  looksOnly: true,
  handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
  admit(attributes) {
    if (!hasNewImage(attributes)) return;
    for (const { container } of placedContainers(podOf(attributes).spec)) container.imagePullPolicy = 'Always';
  },
  validate(attributes) {
    if (!hasNewImage(attributes)) return;
    const problems = placedContainers(podOf(attributes).spec)
      .filter(({ container }) => container.imagePullPolicy !== 'Always')
      .map(({ container, path }) =>
        notSupported(`${path}.imagePullPolicy`, container.imagePullPolicy ?? '', ['Always']),
      )
      .map(({ field, message }) => refusal(attributes, `${field}: ${message}`).message);
    if (problems.length === 0) return;
    throw plainFailure(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  },
});

/** Of pods that are there nobody is to change what they have. */
function hasNewImage(attributes: Attributes): boolean {
  if (attributes.operation !== 'UPDATE') return true;
  const old = new Set(placedContainers(oldPodOf(attributes).spec).map(({ container }) => container.image));
  return placedContainers(podOf(attributes).spec).some(({ container }) => !old.has(container.image));
}
