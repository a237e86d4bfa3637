import { labelSelectorOf, SelectorError } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { isObject } from './fields.js';

/** Cell of an empty value. */
export const NONE = '<none>';
/** Cell of an unset value. */
export const UNSET = '<unset>';
/** Cell of an unknown value. */
export const UNKNOWN = '<unknown>';

/** Text, or `<none>`. */
export const orNone = (text: string): string => text || NONE;

/** Items joined, or `<none>`. */
export const joined = (items: readonly string[], separator = ','): string => orNone(items.join(separator));

/** At most `max` items, and how many more there are. */
export function someOf(items: readonly string[], max: number, separator = ','): string {
  if (items.length <= max) return joined(items, separator);
  return `${items.slice(0, max).join(separator)} + ${items.length - max} more...`;
}

const byKey = (a: readonly [string, string], b: readonly [string, string]): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;

/** A map of labels as `a=b,c=d` in key order, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(labels).map(([key, value]): [string, string] => [key, `${key}=${String(value)}`]);
  return joined(pairs.sort(byKey).map(([, text]) => text));
}

/** A LabelSelector object in its string form; '' when it has no requirement. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '';
  try {
    return labelSelectorOf(selector).toString();
  } catch (error) {
    if (error instanceof SelectorError) return '<error>';
    throw error;
  }
}

/** The text of {@link selectorText}, or `<none>`. */
export const formatSelector = (selector: unknown): string => orNone(selectorText(selector));

/** A boolean as tables show optional ones. */
export const optionalBool = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : UNSET;

/** An address and a port; IPv6 addresses in brackets. */
export const hostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const MODE = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

/** Access modes of volumes, abbreviated, in a fixed order, each once. */
export function accessModes(modes: readonly string[]): string {
  return [...MODE].flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');
}

/** Names and images of the containers of a pod spec. */
export function containersOf(podSpec: PodSpec | undefined): { Containers: string; Images: string } {
  const containers = podSpec?.containers ?? [];
  return {
    Containers: containers.map((container) => container.name ?? '').join(','),
    Images: containers.map((container) => container.image ?? '').join(','),
  };
}
