import { notSupported } from '@orch/machinery';
import type { Attributes } from '../../attributes.js';
import { plainFailure } from '../../failures.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { oldPodOf, placedContainers, podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/**
 * Makes every container always pull its image, so that a pod cannot use an image on the node without the right to pull
 * it.
 */
export const alwaysPullImages: PluginMaker = () => ({
  name: 'AlwaysPullImages',
  readsOnly: true,
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

/** Returns whether a write brings an image that the pod did not have. Other updates leave existing pods as they are. */
function hasNewImage(attributes: Attributes): boolean {
  if (attributes.operation !== 'UPDATE') return true;
  const old = new Set(placedContainers(oldPodOf(attributes).spec).map(({ container }) => container.image));
  return placedContainers(podOf(attributes).spec).some(({ container }) => !old.has(container.image));
}
