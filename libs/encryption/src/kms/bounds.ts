import type { WrappedKey } from './messages.js';

/** Bytes. */
const LONGEST_KEY_ID = 1024;
const LONGEST_WRAPPED = 1024;
const LONGEST_ANNOTATIONS = 32 << 10;
/** Characters reported of a service's status. */
const LONGEST_REPORTED = 1024;
/** Pattern of annotations' names. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Returns the first KiB of a service's text, for reports. */
export function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length > LONGEST_REPORTED ? `${bytes.toString('utf8', 0, LONGEST_REPORTED)}…` : text;
}

/** Returns why an id is invalid; undefined for a valid one. */
export function keyIdProblem(keyId: string): string | undefined {
  if (keyId === '') return 'keyID is empty';
  const length = Buffer.byteLength(keyId);
  return length > LONGEST_KEY_ID
    ? `keyID is ${length} bytes, which exceeds the max size of ${LONGEST_KEY_ID}`
    : undefined;
}

/** Checks the limits of data that is stored with each body. @throws Error */
export function checkWrapped({ ciphertext, keyId, annotations }: WrappedKey): void {
  const { length } = ciphertext;
  if (length === 0) throw new Error('failed to validate encrypted DEK: encrypted DEK is empty');
  if (length > LONGEST_WRAPPED)
    throw new Error(
      `failed to validate encrypted DEK: encrypted DEK is ${length} bytes, which exceeds the max size of ${LONGEST_WRAPPED}`,
    );
  const invalid = keyIdProblem(keyId);
  if (invalid) throw new Error(`failed to validate key id: ${invalid}`);
  let size = 0;
  for (const [name, value] of annotations) {
    if (!DOMAIN.test(name))
      throw new Error(`failed to validate annotations: ${JSON.stringify(name)} is no domain name`);
    size += name.length + value.length;
  }
  if (size > LONGEST_ANNOTATIONS)
    throw new Error(
      `failed to validate annotations: total size of annotations is ${size}, which exceeds the max size of ${LONGEST_ANNOTATIONS}`,
    );
}
