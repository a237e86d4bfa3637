import type { Container } from '@orch/schema/types/core/v1';

/** Returns the items quoted: `"a", "b"`. */
export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

/** Returns the singular or the plural, by a count. */
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Returns the names of containers: `container "a"`, `containers "a", "b"`. */
export const named = (containers: readonly Container[]): string =>
  `${plural('container', 'containers', containers.length)} ${quoted(containers.map(({ name = '' }) => name))}`;

/** Returns who sets a forbidden value: the pod, some of its containers, or both. */
export const setters = (pod: boolean, containers: readonly Container[]): string =>
  [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(' and ');

/** Returns the distinct items in the order of their UTF-16 code units. */
export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();
