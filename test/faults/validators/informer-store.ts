import type { Floors } from '../model/floors.js';
import type { Kind } from '../model/object-state.js';
import type { Violation } from './violation.js';
import { firstDifference } from './watch.js';

/** The final contents of an informer of another implementation. */
export interface InformerReport {
  readonly name: string;
  readonly synced: boolean;
  /** Answers and events with code 410. */
  readonly gone: number;
  /** Versions by "namespace/name". */
  readonly held: ReadonlyMap<string, string>;
}

/** The part of the recorded data that this validator needs. */
export interface StoredConfigMaps {
  readonly objects: Readonly<Record<Kind, readonly { readonly version: number; readonly print: string }[]>>;
  readonly floors: Readonly<Record<Kind, Floors>>;
}

/** V5: the store of a client-go informer over all config maps equals the database; 410 came only where history was dropped. */
export function checkInformer({ name, synced, gone, held }: InformerReport, stored: StoredConfigMaps): Violation[] {
  const report = (rule: 'V5.store' | 'V5.gone', message: string): Violation => ({
    rule,
    message: `${name}: ${message}`,
  });
  if (!synced) return [report('V5.store', 'has never synced')];
  const keyOf = (print: string) => print.slice(0, print.indexOf(' '));
  const expected = stored.objects.configmaps.map(({ version, print }) => `${keyOf(print)} ${version}`).sort();
  const difference = firstDifference(expected, [...held].map(([key, version]) => `${key} ${version}`).sort());
  return [
    ...(difference ? [report('V5.store', difference)] : []),
    ...(gone > 0 && stored.floors.configmaps.last === 0
      ? [report('V5.gone', `${gone} times 410, though no history was dropped`)]
      : []),
  ];
}
