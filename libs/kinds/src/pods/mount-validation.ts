import { type FieldError, invalidValue, notFoundValue, required } from '@orch/machinery';
import { objectsAt, textAt } from '../values/fields.js';

/** Volumes and devices that a container mounts, which the pod must have. */
export function validateMounts(container: unknown, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const mounts = objectsAt(container, 'volumeMounts');
  const devices = objectsAt(container, 'volumeDevices');
  return [
    ...validateList(mounts, `${path}.volumeMounts`, 'mountPath', volumes),
    ...validateList(devices, `${path}.volumeDevices`, 'devicePath', volumes),
    ...mounts.flatMap((mount, index) => validateSubPath(mount, `${path}.volumeMounts[${index}]`)),
  ];
}

function validateList(
  items: readonly Record<string, unknown>[],
  path: string,
  place: 'mountPath' | 'devicePath',
  volumes: ReadonlySet<string>,
): FieldError[] {
  const places = new Set<string>();
  return items.flatMap((item, index) => {
    const [name, where] = [textAt(item, 'name'), textAt(item, place)];
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (where === '') errors.push(required(`${at}.${place}`));
    if (places.has(where)) errors.push(invalidValue(`${at}.${place}`, where, 'must be unique'));
    places.add(where);
    return errors;
  });
}

function validateSubPath(mount: unknown, path: string): FieldError[] {
  const expression = textAt(mount, 'subPathExpr');
  if (expression === '' || textAt(mount, 'subPath') === '') return [];
  return [invalidValue(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')];
}
