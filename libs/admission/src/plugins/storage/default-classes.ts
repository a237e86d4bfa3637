import type { ApiObject } from '@orch/machinery';

/**
 * The default among classes: the newest that carries one of the annotations, of equally old ones the first by name.
 * @param annotations each of which makes a class the default where it says `true`
 */
export function defaultClassOf(classes: Iterable<ApiObject>, annotations: readonly string[]): ApiObject | undefined {
  const isDefault = ({ metadata }: ApiObject) => annotations.some((key) => metadata?.annotations?.[key] === 'true');
  return [...classes].filter(isDefault).sort(newestFirst)[0];
}

function newestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const age = Date.parse(b?.creationTimestamp ?? '') - Date.parse(a?.creationTimestamp ?? '');
  return age || ((a?.name ?? '') < (b?.name ?? '') ? -1 : 1);
}
