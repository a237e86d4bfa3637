import { type FieldError, invalidValue, type Names, required, tooLong, verbatim } from '@orch/machinery';
import type { Secret } from '@orch/schema/types/core/v1';

/** All values of a Secret or a ConfigMap together, bytes. */
export const MAX_CONTENT_BYTES = 1024 * 1024;

/** Bytes of all values of a map together. */
export const contentBytes = (values: Readonly<Record<string, string>>, encoding: 'utf8' | 'base64'): number =>
  Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);

/** Keys that Secrets of a type must have, by the type. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'orch.io/dockercfg': ['.dockercfg'],
  'orch.io/dockerconfigjson': ['.dockerconfigjson'],
  'orch.io/tls': ['tls.crt', 'tls.key'],
};
/** Types of Secrets whose value under the key is JSON. */
const JSON_KEYS: Readonly<Record<string, string>> = {
  'orch.io/dockercfg': '.dockercfg',
  'orch.io/dockerconfigjson': '.dockerconfigjson',
};

/** Checks the size of a Secret, and the keys that its type requires. */
export function validateSecret(object: Secret, names: Names): FieldError[] {
  const data = object.data ?? {};
  const size = contentBytes(data, 'base64');
  const errors = size > MAX_CONTENT_BYTES ? [tooLong('data', MAX_CONTENT_BYTES)] : [];
  const type = object.type ?? '';
  const isType = (canonical: string) => type === names.key(canonical);
  const missing = (key: string) => (Object.hasOwn(data, key) ? [] : [required(`data[${key}]`)]);
  for (const [canonical, keys] of Object.entries(REQUIRED))
    if (isType(canonical)) errors.push(...keys.flatMap(missing));
  // JSON in a Secret that is too large is not parsed on top of that error.
  for (const [canonical, key] of Object.entries(JSON_KEYS))
    if (isType(canonical) && size <= MAX_CONTENT_BYTES) errors.push(...validateJson(data, key));
  if (isType('orch.io/basic-auth') && !Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password')) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  if (isType('orch.io/ssh-auth') && !data['ssh-privatekey']) errors.push(required('data[ssh-privatekey]'));
  const account = names.key('orch.io/service-account.name');
  if (isType('orch.io/service-account-token') && !object.metadata?.annotations?.[account]) {
    errors.push(required(`metadata.annotations[${account}]`));
  }
  return errors;
}

function validateJson(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return [];
  const refuse = (text: string) => [invalidValue(`data[${key}]`, '<secret contents redacted>', text)];
  const text = Buffer.from(value, 'base64').toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    const found = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
    return found === 'object'
      ? []
      : refuse(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  } catch {
    return refuse(syntaxFault(text));
  }
}

/** Returns why a text is not JSON: an invalid first character is named, any other error counts as an unexpected end. */
function syntaxFault(text: string): string {
  const first = text.replace(/^[ \t\r\n]+/, '').charAt(0);
  if (first === '' || /[{["\-\dtfn]/.test(first)) return 'unexpected end of JSON input';
  return `invalid character ${shownCharacter(first)} looking for beginning of value`;
}

/** In single quotes, with escapes for what cannot be printed. */
function shownCharacter(character: string): string {
  if (character === "'") return "'\\''";
  return `'${verbatim(character).text.slice(1, -1)}'`;
}
