import { dnsSubdomainErrors, type FieldError, forbiddenField, type Names, required, tooLong } from '@orch/machinery';
import type { PersistentVolumeSpec } from '@orch/schema/types/core/v1';
import type { VolumeAttachment, VolumeAttachmentSpec } from '@orch/schema/types/storage/v1';
import { validateDriverName } from '../core/csi-validation.js';
import { validateInlineVolume } from '../core/persistent-volume-validation.js';
import { invalidEach } from '../rules/checks.js';

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const SOURCE = 'spec.source';

/** Which volume is to be attached to which node, by whom. */
export function validateAttachment({ spec }: VolumeAttachment, names: Names): FieldError[] {
  const node = spec?.nodeName ?? '';
  return [
    ...((spec?.attacher ?? '') === '' ? [required('spec.attacher')] : []),
    ...validateSource(spec?.source?.persistentVolumeName, spec?.source?.inlineVolumeSpec, names),
    ...invalidEach('spec.nodeName', node, dnsSubdomainErrors(node)),
  ];
}

function validateSource(
  name: string | undefined,
  inline: PersistentVolumeSpec | undefined,
  names: Names,
): FieldError[] {
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (typeof name === 'string') {
    if (inline) return [forbiddenField(SOURCE, text)];
    const field = `${SOURCE}.persistentVolumeName`;
    return name === '' ? [required(field, 'must specify non empty persistentVolumeName')] : [];
  }
  return inline ? validateInlineVolume(inline, `${SOURCE}.inlineVolumeSpec`, names) : [required(SOURCE, text)];
}

/** Checks new attachments only. */
export function validateNewAttachment(spec: VolumeAttachmentSpec | undefined): FieldError[] {
  const name = spec?.source?.persistentVolumeName;
  return [
    ...validateDriverName(spec?.attacher ?? '', 'spec.attacher'),
    ...(typeof name === 'string' ? invalidEach(`${SOURCE}.persistentVolumeName`, name, dnsSubdomainErrors(name)) : []),
  ];
}

/** Checks the result of attaching. The error of a message that is too long names the limit of the metadata. */
export function validateAttachmentStatus({ status }: VolumeAttachment): FieldError[] {
  const metadata = Object.entries(status?.attachmentMetadata ?? {});
  const size = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(size > MAX_METADATA_BYTES ? [tooLong('status.attachmentMetadata', MAX_METADATA_BYTES)] : []),
    ...(['attachError', 'detachError'] as const).flatMap((name) =>
      Buffer.byteLength(status?.[name]?.message ?? '') > MAX_MESSAGE_BYTES
        ? [tooLong(`status.${name}.message`, MAX_METADATA_BYTES)]
        : [],
    ),
  ];
}
