import type { Metrics } from '@orch/runtime';
import { LRUCache } from 'lru-cache';

/** An object that a webhook fails to convert while it converts others. */
export interface RefusedObject {
  /** Name of the definition. */
  readonly definition: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Name of the stored version, and of the requested one. */
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

/** Number of objects whose last logged message is remembered. */
const KNOWN = 10_000;
/** Maximum number of log lines a minute: a webhook may refuse every object. */
const LINES = 60;
const MINUTE_MS = 60_000;

/**
 * Counts refusals, and logs a line for each refused object: once as long as it is refused with the same message, as
 * watches have it converted again and again. Lines beyond a limit per minute are logged later, if the objects are
 * refused then.
 * @param warn writes a line
 * @param now monotonic milliseconds
 */
export function refusedObjects(
  metrics: Metrics,
  warn: (message: string, fields: Readonly<Record<string, string>>) => void,
  now = () => performance.now(),
): (refused: RefusedObject) => void {
  const counter = metrics.counter({
    name: 'orch_crd_webhook_conversion_refused_objects_total',
    help: 'Number of times that a webhook did not convert one custom resource, although it converts others.',
    labels: ['crd_name', 'from_version', 'to_version'] as const,
  });
  const told = new LRUCache<string, string>({ max: KNOWN });
  let [lines, since] = [0, now()];
  return ({ definition, namespace, name, uid, from, to, message }) => {
    counter.with(definition, from, to).inc();
    const key = `${definition} ${uid || `${namespace}/${name}`} ${from} ${to}`;
    if (told.get(key) === message) return;
    if (now() - since >= MINUTE_MS) [lines, since] = [0, now()];
    if (++lines > LINES) return;
    told.set(key, message);
    warn('a webhook does not convert an object', { definition, namespace, name, from, to, message });
  };
}
