import {
  type ApiObject,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  type Names,
  required,
  tooLong,
} from '@orch/machinery';
import { validateDriverName } from '../core/csi-validation.js';
import { validateInlineVolume } from '../core/persistent-volume-validation.js';
import { invalidEach } from '../rules/checks.js';
import { at, isObject, mapAt, textAt } from '../values/fields.js';

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const SOURCE = 'spec.source';

/** Which volume is to be attached to which node, by whom. */
export function validateAttachment({ spec }: ApiObject, names: Names): FieldError[] {
  const node = textAt(spec, 'nodeName');
  return [
    ...(textAt(spec, 'attacher') === '' ? [required('spec.attacher')] : []),
    ...validateSource(at(spec, 'source', 'persistentVolumeName'), at(spec, 'source', 'inlineVolumeSpec'), names),
    ...invalidEach('spec.nodeName', node, dnsSubdomainErrors(node)),
  ];
}

function validateSource(name: unknown, inline: unknown, names: Names): FieldError[] {
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (typeof name === 'string') {
    if (isObject(inline)) return [forbiddenField(SOURCE, text)];
    const field = `${SOURCE}.persistentVolumeName`;
    return name === '' ? [required(field, 'must specify non empty persistentVolumeName')] : [];
  }
  return isObject(inline)
    ? validateInlineVolume(inline, `${SOURCE}.inlineVolumeSpec`, names)
    : [required(SOURCE, text)];
}

/** What is asked of new attachments only. */
export function validateNewAttachment(spec: unknown): FieldError[] {
  const name = at(spec, 'source', 'persistentVolumeName');
  return [
    ...validateDriverName(textAt(spec, 'attacher'), 'spec.attacher'),
    ...(typeof name === 'string' ? invalidEach(`${SOURCE}.persistentVolumeName`, name, dnsSubdomainErrors(name)) : []),
  ];
}

/** What came of it. Of a message that is too long, clients hear the limit of the metadata. */
export function validateAttachmentStatus({ status }: ApiObject): FieldError[] {
  const metadata = Object.entries(mapAt(status, 'attachmentMetadata'));
  const size = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(size > MAX_METADATA_BYTES ? [tooLong('status.attachmentMetadata', MAX_METADATA_BYTES)] : []),
    ...['attachError', 'detachError'].flatMap((name) =>
      Buffer.byteLength(textAt(status, name, 'message')) > MAX_MESSAGE_BYTES
        ? [tooLong(`status.${name}.message`, MAX_METADATA_BYTES)]
        : [],
    ),
  ];
}
