import type { ApiObject } from '@orch/machinery';

/**
 * Returns the default class: the newest that has one of the annotations, the first by name among equally old ones.
 * @param annotations each makes a class the default with the value `true`
 */
export function defaultClassOf(classes: Iterable<ApiObject>, annotations: readonly string[]): ApiObject | undefined {
  const isDefault = ({ metadata }: ApiObject) => annotations.some((key) => metadata?.annotations?.[key] === 'true');
  return [...classes].filter(isDefault).sort(newestFirst)[0];
}

function newestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const age = Date.parse(b?.creationTimestamp ?? '') - Date.parse(a?.creationTimestamp ?? '');
  return age || ((a?.name ?? '') < (b?.name ?? '') ? -1 : 1);
}
