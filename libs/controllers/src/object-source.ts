import type { ControllerSource } from './controller.js';

/** Objects in memory by name: an `ObjectFollower`, or an informer over HTTP. */
export interface KnownByName {
  /** Keys are `namespace/name`, or the name alone outside of namespaces. */
  readonly objects: { keys(): Iterable<string> };
  /**
   * Calls the listener with the names of objects that have come, changed or gone, until the returned function is
   * called.
   */
  onChange(listener: (changed: Iterable<string>) => void): () => void;
  /** Resolves when everything is known that was written before the call. */
  confirm(): Promise<unknown>;
}

const namesOf =
  (known: Pick<ListedObjects, 'onChange'>): ControllerSource['subscribe'] =>
  (enqueue) =>
    known.onChange((changed) => {
      for (const name of changed) enqueue(name);
    });

/** Wakes a controller whose keys are the names of these objects. */
export function objectSource(known: KnownByName): ControllerSource {
  return {
    subscribe: namesOf(known),
    keys: () => known.objects.keys(),
    async confirm() {
      await known.confirm();
    },
  };
}

/** Objects in memory that are looked up by namespace and name: what admission plugins follow. */
export interface ListedObjects {
  /** Every one of them. */
  all(): Iterable<{ readonly metadata?: { readonly namespace?: string; readonly name?: string } }>;
  /**
   * Calls the listener with the names of objects that have come, changed or gone, until the returned function is
   * called.
   */
  onChange(listener: (changed: Iterable<string>) => void): () => void;
}

/**
 * Wakes a controller with the names of these objects. They may lag behind writes of other processes, so reconciling
 * must tolerate slightly outdated objects.
 */
export function followedSource(known: ListedObjects): ControllerSource {
  return {
    subscribe: namesOf(known),
    *keys() {
      for (const { metadata: { namespace = '', name = '' } = {} } of known.all())
        yield namespace === '' ? name : `${namespace}/${name}`;
    },
  };
}
