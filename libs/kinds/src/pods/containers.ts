import { type Json, objectsAt } from '../values/fields.js';

/** Lists of containers, in the order in which they come up. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** What is found at every container of a pod spec, of whatever sort, by its place. */
export const eachContainer = <Found>(
  spec: unknown,
  path: string,
  look: (container: Json, path: string) => readonly Found[],
): Found[] =>
  LISTS.flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => look(container, `${path}.${list}[${index}]`)),
  );

/** Every container of a pod spec, of whatever sort. */
export const allContainers = (spec: unknown): Json[] => LISTS.flatMap((list) => objectsAt(spec, list));
