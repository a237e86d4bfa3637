import type { PersistentVolumeClaim, Pod, Volume } from '@orch/schema/types/core/v1';

/** A use of a claim by a pod. */
interface ClaimUse {
  /** Name of the claim. */
  readonly name: string;
  /** Whether the claim belongs to the pod, of which it is a generic ephemeral volume. */
  readonly isEphemeral: boolean;
}

/** Returns the claim that a volume of a pod uses; undefined for volumes of other kinds. */
export function claimUseOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): ClaimUse | undefined {
  if (persistentVolumeClaim) return { name: persistentVolumeClaim.claimName ?? '', isEphemeral: false };
  return ephemeral ? { name: `${pod.metadata?.name ?? ''}-${name ?? ''}`, isEphemeral: true } : undefined;
}

/** Returns the claims that a pod uses, in the order of its volumes. */
export function claimUsesOf(pod: Pod): readonly ClaimUse[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimUseOf(pod, volume) ?? []);
}

/** Returns why a claim cannot be that of an ephemeral volume of a pod; undefined where it can. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace, name, uid } = pod.metadata ?? {};
  const owner = claim.metadata?.ownerReferences?.find(({ controller }) => controller);
  if (owner !== undefined && owner.uid === uid) return undefined;
  const claimName = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
  return `PVC ${claimName} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** Returns the message for a claim that does not exist. */
export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;
