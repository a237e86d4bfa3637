import type { History } from '../model/history.js';
import type { Life, List } from '../model/records.js';
import { describeSelection } from '../model/selection.js';
import type { Violation } from './violation.js';
import { firstDifference } from './watch.js';

/** V4: a list is the state of one version, that version is as fresh as was asked for. */
export function checkList(list: List, history: History): Violation[] {
  const { asked, version, known, selection, items } = list;
  const report = (message: string): Violation[] => [
    {
      rule: 'V4.list',
      message: `list of ${list.kind} ${describeSelection(selection)} by ${list.client} at ${list.server}: ${message}`,
    },
  ];
  const least = asked === 'recent' ? known : asked === 'any' ? 0 : asked.notOlderThan;
  if (version < least) return report(`version ${version} is older than ${least}`);
  const line = (item: { version: number; print: string }) => `${item.version} ${item.print}`;
  const expected = [...history.stateAt(version, selection).values()].map(line).sort();
  const difference = firstDifference(expected, items.map(line).sort());
  return difference ? report(`at ${version}: ${difference}`) : [];
}

/**
 * V4: what a client holds that applied every event to the list that it began with is the final list.
 * @param initial items of the list, or nothing where the state came as events
 */
export function checkRebuilt(
  life: Life,
  initial: readonly { readonly version: number; readonly print: string }[],
  final: readonly { readonly version: number; readonly print: string }[],
): Violation[] {
  const held = new Map<string, string>();
  const keyOf = (print: string) => print.slice(0, print.indexOf(' '));
  for (const { version, print } of initial) held.set(keyOf(print), `${version} ${print}`);
  for (const entry of life.entries) {
    if (entry < 0) continue;
    const { type, version, print } = life.events.get(entry);
    if (type === 'DELETED') held.delete(keyOf(print));
    else held.set(keyOf(print), `${version} ${print}`);
  }
  const difference = firstDifference(
    final.map(({ version, print }) => `${version} ${print}`).sort(),
    [...held.values()].sort(),
  );
  const message = `watcher ${life.watcher} of ${life.kind} ${describeSelection(life.selection)}: ${difference}`;
  return difference ? [{ rule: 'V4.final', message }] : [];
}
