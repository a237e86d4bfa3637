import type { ControllerSource } from './controller.js';

/** Objects in memory, by name: an `ObjectFollower`, or an informer over HTTP. */
export interface KnownByName {
  /** By `namespace/name`, or by name outside of namespaces. */
  readonly objects: { keys(): Iterable<string> };
  /** Calls the listener with the names of objects that have come, changed or gone, until the returned function is called. */
  onChange(listener: (changed: Iterable<string>) => void): () => void;
  /** Resolves when everything is known that was written before the call. */
  confirm(): Promise<void>;
}

/** Wakes a controller whose keys are the names of these objects. */
export function objectSource(known: KnownByName): ControllerSource {
  return {
    subscribe: (enqueue) =>
      known.onChange((changed) => {
        for (const name of changed) enqueue(name);
      }),
    keys: () => known.objects.keys(),
    confirm: () => known.confirm(),
  };
}
