import type { History } from '../model/history.js';
import { keyOf, printOf } from '../model/object-state.js';
import type { Violation } from './violation.js';

/**
 * The recorded history itself: one unbroken chain whose every change goes on from the state before it. Everything else
 * is judged against it, so it is judged first.
 */
export function checkHistory({ kind, changes }: History): Violation[] {
  const violations: Violation[] = [];
  const report = (version: number, message: string) =>
    violations.push({ rule: 'V2.history', message: `${kind} at ${version}: ${message}` });
  const current = new Map<string, { version: number; print: string; uid: string }>();
  let before: number | undefined;
  for (const { version, previous, op, state, prior, priorVersion } of changes) {
    if (before !== undefined && previous !== before)
      report(version, `follows ${previous} by its own word, not ${before}`);
    before = version;
    const key = keyOf(state);
    const live = current.get(key);
    if (op === 'create') {
      if (live !== undefined) report(version, `${key} is created though it is there since ${live.version}`);
    } else if (live === undefined || prior === undefined) {
      report(version, `${key} is changed though it is not there`);
    } else if (priorVersion !== live.version || printOf(prior) !== live.print || state.uid !== live.uid) {
      report(
        version,
        `${key} goes on from ${priorVersion} (${printOf(prior)}), not from ${live.version} (${live.print})`,
      );
    }
    if (op === 'delete') current.delete(key);
    else current.set(key, { version, print: printOf(state), uid: state.uid });
  }
  return violations;
}

/** A change that a reader found below a version that it had read before. */
export interface LateCommit {
  readonly kind: string;
  readonly version: number;
  /** Up to which the reader had read when the change was not there. */
  readonly read: number;
}

/** Invariant 2: who has seen version N never finds a change at or below N later. */
export function checkLateCommits(late: readonly LateCommit[]): Violation[] {
  return late.map(({ kind, version, read }) => ({
    rule: 'V2.late-commit',
    message: `${kind}: ${version} became visible after ${read} had been read`,
  }));
}
