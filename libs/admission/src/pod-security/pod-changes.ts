import type { Container, PodSpec } from '@orch/schema/types/core/v1';

/** Whether an update of a pod changes anything that the security of pods looks at: most change labels alone. */
export function isSignificant(spec: PodSpec, old: PodSpec): boolean {
  if (haveOtherImages(spec.containers, old.containers)) return true;
  if (haveOtherImages(spec.initContainers, old.initContainers)) return true;
  const known = new Map((old.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => !known.has(name) || known.get(name) !== image);
}

const haveOtherImages = (containers: readonly Container[] = [], old: readonly Container[] = []): boolean =>
  containers.length !== old.length || containers.some(({ image }, at) => image !== old[at]?.image);
