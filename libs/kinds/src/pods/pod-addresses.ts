import { isObject, type Json, objectsAt, textAt } from '../values/fields.js';

/** The addresses of a pod have an older field of one beside them, which is the first of them. Of two that differ the older counts. Mutates. */
export function unifyAddresses(status: Json): void {
  const [first] = objectsAt(status, 'podIPs');
  const older = textAt(status, 'podIP');
  if (older === '') {
    if (isObject(first) && textAt(first, 'ip') !== '') status.podIP = textAt(first, 'ip');
  } else if (textAt(first, 'ip') !== older) {
    status.podIPs = [{ ip: older }];
  }
}
