import type { Stream } from '../definitions/kind-watcher.js';
import type { Observation } from '../definitions/prober.js';
import type { DefinitionState } from '../definitions/timeline.js';
import type { History } from '../model/history.js';
import type { Violation } from './violation.js';

/** How long a server may take to serve what a definition says, and to end watches of what it said before, ms; a busy machine adds to it. */
export const WITHIN_MS = 1_000;

export type Timelines = ReadonlyMap<string, readonly DefinitionState[]>;

/** What was found, and by how much of a second servers were behind at most. */
export interface ServedFindings {
  readonly violations: readonly Violation[];
  /** Milliseconds. */
  readonly latest: number;
}

/**
 * Every server serves what definitions say within a second, never goes back to what they said before, and serves
 * what is established at once.
 */
export function checkServed(
  observations: readonly Observation[],
  timelines: Timelines,
  withinMs = WITHIN_MS,
): ServedFindings {
  const violations: Violation[] = [];
  let latest = 0;
  const reached = new Map<string, number>();
  for (const observation of observations) {
    const states = timelines.get(observation.definition) ?? [];
    const { server, definition, facet, seen, start, end } = observation;
    const what = `${server}, ${facet.of} of ${definition} in ${facet.version}: ${seen}`;
    const possible = states.flatMap(({ from, facet: expected }, at) => {
      const text = expected(facet);
      return from <= end && (text === undefined || text === seen) ? [at] : [];
    });
    const newest = possible.at(-1);
    if (newest === undefined) {
      violations.push({ rule: 'R.served', message: `${what}, which no definition has said` });
      continue;
    }
    const line = `${server} ${facet.of} ${definition} ${facet.version}`;
    const least = reached.get(line) ?? 0;
    const next = possible.find((at) => at >= least);
    if (next === undefined) {
      violations.push({ rule: 'R.served', message: `${what}, though it had served what came later` });
      continue;
    }
    reached.set(line, next);
    const late = start - (states[newest]?.until ?? start);
    latest = Math.max(latest, late);
    if (late > withinMs) violations.push({ rule: 'R.latency', message: `${what}, ${late.toFixed()} ms too late` });
    const early = facet.of === 'discovery' ? undefined : unawaited(states, newest, observation);
    if (early) violations.push({ rule: 'R.served', message: `${what}, ${early}` });
  }
  return { violations, latest };
}

/** Of what is established before a request begins, every server serves objects: nobody has to wait for that. */
function unawaited(states: readonly DefinitionState[], found: number, { facet, seen, start }: Observation) {
  if (seen !== 'absent' || states[found]?.isEstablished) return undefined;
  const established = states.findIndex((state, at) => at > found && state.isEstablished);
  const state = states[established];
  if (!state || state.from >= start) return undefined;
  const gone = states.some(({ facet: expected, from }, at) => {
    return at >= established && from <= start && expected(facet) === 'absent';
  });
  return gone ? undefined : `though it was established ${(start - state.from).toFixed()} ms before`;
}

/** Watches of what is changed end in order, and soon; others do not. @param steady definitions that nobody changes */
export function checkStreams(
  streams: readonly Stream[],
  timelines: Timelines,
  steady: ReadonlySet<string>,
  withinMs = WITHIN_MS,
): ServedFindings {
  let latest = 0;
  const violations = streams.flatMap(({ watcher, definition, server, opened, ended, isWhole }): Violation[] => {
    const what = `a watch of ${definition} by ${watcher} at ${server}`;
    if (ended !== undefined && !isWhole) return [{ rule: 'R.stream', message: `${what} was cut` }];
    if (steady.has(definition)) {
      return ended === undefined ? [] : [{ rule: 'R.stream', message: `${what} ended, though nobody changed it` }];
    }
    const states = timelines.get(definition) ?? [];
    const before = states.find(({ from, until }) => from <= opened && opened < until);
    const other = states.find(({ from, served }) => from > opened && served !== before?.served);
    if (!other) return [];
    if (ended === undefined) return [{ rule: 'R.served', message: `${what} went on after it was changed` }];
    const late = ended - other.from;
    latest = Math.max(latest, late);
    return late > withinMs ? [{ rule: 'R.latency', message: `${what} ended after ${late.toFixed()} ms` }] : [];
  });
  return { violations, latest };
}

/** An object as it was made: which definition's number it was given. */
export interface Made {
  readonly version: number;
  /** Monotonic ms, right before it was committed. */
  readonly at: number;
  readonly number: number | undefined;
}

/** Nothing is stored that no definition has, or by what a definition has not said for long; none is left behind. */
export function checkStored(
  history: History,
  made: readonly Made[],
  states: readonly DefinitionState[],
  withinMs = WITHIN_MS,
): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: Violation['rule'], message: string) =>
    violations.push({ rule, message: `${history.kind}: ${message}` });
  const stateAt = (version: number) => states.findLast((state) => state.version <= version);
  for (const { version, op } of history.changes) {
    if (stateAt(version)?.uid === undefined) report('R.left', `${op} ${version} while there was no definition`);
  }
  for (const { version, uid } of states) {
    if (uid !== undefined) continue;
    const left = history.stateAt(version, {}).size;
    if (left > 0) report('R.left', `${left} objects were left when the definition was deleted at ${version}`);
  }
  for (const { version, at, number } of made) {
    const last = states.findLast((state) => state.number === number);
    if (!last) report('R.served', `${version} was made with the number ${number}, which no definition has said`);
    else if (at - last.until > withinMs)
      report('R.latency', `${version} was made with the number ${number}, ${(at - last.until).toFixed()} ms too late`);
  }
  return violations;
}
