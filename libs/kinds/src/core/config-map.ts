import { type FieldError, invalidValue, tooLong } from '@orch/machinery';
import type { ConfigMap } from '@orch/schema/types/core/v1';
import { validateContentKeys } from '../rules/content-keys.js';
import { immutableContents } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { contentBytes, MAX_CONTENT_BYTES } from './secret-validation.js';

const CONTENTS = ['data', 'binaryData'] as const;

/** Rules of ConfigMap; the contents of an immutable one cannot be changed. */
export const configMap: KindDeclaration<ConfigMap> = {
  validate: validateContents,
  validateCreate: (object) => validateContentKeys(object, CONTENTS),
  validateUpdate: (object, old) => [
    ...validateContentKeys(object, CONTENTS, old),
    ...immutableContents(object, old, CONTENTS),
  ],
  row: (object) => ({
    Data: Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length,
  }),
};

/** A key stands for one thing, and all of it fits. */
function validateContents(object: ConfigMap): FieldError[] {
  const [text, binary] = [object.data ?? {}, object.binaryData ?? {}];
  const twice = Object.keys(binary).length === 0 ? [] : Object.keys(text).filter((key) => Object.hasOwn(binary, key));
  const size = contentBytes(text, 'utf8') + contentBytes(binary, 'base64');
  return [
    ...twice.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    // The field is the object as a whole.
    ...(size > MAX_CONTENT_BYTES ? [tooLong('[]', MAX_CONTENT_BYTES)] : []),
  ];
}
