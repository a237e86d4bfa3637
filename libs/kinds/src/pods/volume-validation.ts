import { dnsLabelErrors, duplicate, type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { invalidEach, requiredText } from '../rules/checks.js';
import { isObject, type Json, numberAt, objectsAt, textAt } from '../values/fields.js';

const MAX_MODE = 0o777;

/** Texts that the sources of volumes cannot be without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  secret: ['secretName'],
  configMap: ['name'],
  persistentVolumeClaim: ['claimName'],
  nfs: ['server', 'path'],
  csi: ['driver'],
};

/** The volumes of a pod spec; `names` are those that containers can mount. */
export function validateVolumes(spec: unknown, path: string): { errors: FieldError[]; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const errors = objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const name = textAt(volume, 'name');
    const found = [...validateSource(volume, at), ...requiredText(volume, at, 'name', dnsLabelErrors)];
    if (names.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) names.add(name);
    return found;
  });
  return { errors, names };
}

function validateSource(volume: Json, path: string): FieldError[] {
  const [source, ...others] = Object.keys(volume).filter((name) => isObject(volume[name]));
  if (source === undefined) return [];
  const settings = volume[source];
  return [
    ...(REQUIRED[source] ?? []).flatMap((name) => requiredText(settings, `${path}.${source}`, name)),
    ...validatePath(source, settings, `${path}.${source}`),
    ...validateItems(source, settings, `${path}.${source}`),
    ...others.map((name) => forbiddenField(`${path}.${name}`, 'may not specify more than 1 volume type')),
  ];
}

function validatePath(source: string, settings: unknown, path: string): FieldError[] {
  const place = textAt(settings, 'path');
  if (source === 'hostPath' && place.split('/').includes('..')) {
    return [invalidValue(`${path}.path`, place, "must not contain '..'")];
  }
  if (source === 'nfs' && place !== '' && !place.startsWith('/')) {
    return [invalidValue(`${path}.path`, place, 'must be an absolute path')];
  }
  return [];
}

/** Keys that become files, and the mode that files get. */
function validateItems(source: string, settings: unknown, path: string): FieldError[] {
  if (source !== 'secret' && source !== 'configMap') return [];
  return [
    ...validateMode(settings, path, 'defaultMode'),
    ...objectsAt(settings, 'items').flatMap((item, index) => {
      const at = `${path}.items[${index}]`;
      return [
        ...(textAt(item, 'key') === '' ? [required(`${at}.key`)] : []),
        ...validateItemPath(textAt(item, 'path'), `${at}.path`),
        ...validateMode(item, at, 'mode'),
      ];
    }),
  ];
}

function validateItemPath(place: string, field: string): FieldError[] {
  if (place === '') return [required(field)];
  const errors: string[] = [];
  if (place.startsWith('/')) errors.push('must be a relative path');
  if (place.split('/').includes('..')) errors.push("must not contain '..'");
  else if (place.startsWith('..')) errors.push("must not start with '..'");
  return invalidEach(field, place, errors);
}

function validateMode(owner: unknown, path: string, name: string): FieldError[] {
  const mode = numberAt(owner, name);
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalidValue(`${path}.${name}`, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
