import type { History } from '../model/history.js';
import { printOf } from '../model/object-state.js';
import type { Write } from '../model/records.js';
import type { Violation } from './violation.js';
import { firstDifference } from './watch.js';

/** V3: every acknowledged write is in the history as it was acknowledged. */
export function checkDurable(history: History, writes: readonly Write[]): Violation[] {
  const deleted = new Set(history.changes.filter(({ op }) => op === 'delete').map(({ state }) => state.uid));
  return writes.flatMap(({ kind, key, call, stamp, outcome }): Violation[] => {
    const lost = (message: string): Violation[] => [
      { rule: 'V3.lost', message: `${kind} ${key}: ${call} ${stamp} ${message}` },
    ];
    if (outcome.at === 'deleted') {
      return deleted.has(outcome.uid) ? [] : lost(`was acknowledged, and ${outcome.uid} was never deleted`);
    }
    if (outcome.at !== 'committed') return [];
    const change = history.at(outcome.version);
    if (change === undefined) return lost(`was acknowledged at ${outcome.version}, which is not there`);
    const print = printOf(change.state);
    return print === outcome.print ? [] : lost(`was acknowledged as ${outcome.print} and is ${print}`);
  });
}

/** V3: the objects that are there in the end are those that the history leads to. */
export function checkFinalState(
  history: History,
  objects: readonly { readonly version: number; readonly print: string }[],
): Violation[] {
  const line = ({ version, print }: { version: number; print: string }) => `${version} ${print}`;
  const expected = [...history.stateAt(Number.POSITIVE_INFINITY, {}).values()].map(line).sort();
  const difference = firstDifference(expected, objects.map(line).sort());
  return difference ? [{ rule: 'V3.state', message: `${history.kind}: ${difference}` }] : [];
}
