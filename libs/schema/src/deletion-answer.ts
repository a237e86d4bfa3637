/**
 * Kinds for which the deletion of an object answers with its last state. Typed clients are generated with that (OpenAPI
 * document of release 1.27: the answers with code 200), and some of them cannot read a Status in its place.
 */
const WITH_OBJECT: ReadonlySet<string> = new Set([
  'core/v1.PersistentVolume',
  'core/v1.PersistentVolumeClaim',
  'core/v1.Pod',
  'core/v1.PodTemplate',
  'core/v1.ResourceQuota',
  'core/v1.Service',
  'core/v1.ServiceAccount',
  'resource/v1alpha2.PodSchedulingContext',
  'resource/v1alpha2.ResourceClaim',
  'resource/v1alpha2.ResourceClaimTemplate',
  'resource/v1alpha2.ResourceClass',
  'storage/v1.CSIDriver',
  'storage/v1.CSINode',
  'storage/v1.StorageClass',
  'storage/v1.VolumeAttachment',
]);

/**
 * Whether DELETE of an object that it removes answers with the object; for all other kinds with a Status.
 * @param schema form of the objects; a custom kind has no id
 */
export const deletionAnswersObject = (schema: { readonly id?: string } | undefined): boolean =>
  WITH_OBJECT.has(schema?.id ?? '');
