import type { Container } from '@orch/schema/types/core/v1';

/** `"a", "b"`. */
export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `container "a"`, `containers "a", "b"`. */
export const named = (containers: readonly Container[]): string =>
  `${plural('container', 'containers', containers.length)} ${quoted(containers.map(({ name = '' }) => name))}`;

/** Who sets what must not be: the pod, some of its containers, or both. */
export const setters = (pod: boolean, containers: readonly Container[]): string =>
  [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(' and ');

/** Each once, in the order of their bytes. */
export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();
