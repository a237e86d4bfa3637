import { type Delay, NO_DELAY } from '../definitions/control-series.js';
import type { Stream } from '../definitions/kind-watcher.js';
import type { Observation } from '../definitions/prober.js';
import type { DefinitionState } from '../definitions/timeline.js';
import type { History } from '../model/history.js';
import type { Violation } from './violation.js';

/** How long a server may take to serve what a definition says, and to end watches of what it said before, ms. */
export const WITHIN_MS = 1_000;
/** On top of that, so many times what an ordinary change was held up meanwhile: a definition takes several of its steps. */
const TIMES_HELD_UP = 3;

export type Timelines = ReadonlyMap<string, readonly DefinitionState[]>;

interface Lateness {
  readonly what: string;
  readonly ms: number;
  /** When it was found, monotonic ms. */
  readonly at: number;
  readonly server?: string;
}

/** Everything that came late, where the machine did not hold up at the same time what nobody judges. */
function lateness(all: readonly Lateness[], delay: Delay): Violation[] {
  const late = all.filter(({ ms, at, server }) => {
    return ms > WITHIN_MS && ms > WITHIN_MS + TIMES_HELD_UP * delay(at - ms, at, server);
  });
  return late.map(({ what, ms }) => ({ rule: 'R.latency', message: `${what}, ${ms.toFixed()} ms too late` }));
}

/** Violations, and how much of the allowed second a server used at most. */
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
  delay: Delay = NO_DELAY,
): ServedFindings {
  const violations: Violation[] = [];
  const late: Lateness[] = [];
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
    late.push({ what, ms: Math.max(0, start - (states[newest]?.until ?? start)), at: start, server });
    const early = facet.of === 'discovery' ? undefined : unawaited(states, newest, observation);
    if (early) violations.push({ rule: 'R.served', message: `${what}, ${early}` });
  }
  return { violations: [...violations, ...lateness(late, delay)], latest: latestOf(late) };
}

const latestOf = (all: readonly { readonly ms: number }[]): number =>
  all.reduce((most, { ms }) => Math.max(most, ms), 0);

/** Every server must serve definitions that were established before the request began, without delay. */
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
  delay: Delay = NO_DELAY,
): ServedFindings {
  const late: Lateness[] = [];
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
    late.push({ what: `${what} ended`, ms: ended - other.from, at: ended });
    return [];
  });
  return { violations: [...violations, ...lateness(late, delay)], latest: latestOf(late) };
}

/** An object as it was made: which definition's number it was given. */
export interface Made {
  readonly version: number;
  /** Monotonic ms: when the request began. */
  readonly at: number;
  readonly number: number | undefined;
}

/** Nothing is stored that no definition has, or by what a definition has not said for long; none is left behind. */
export function checkStored(
  history: History,
  made: readonly Made[],
  states: readonly DefinitionState[],
  delay: Delay = NO_DELAY,
): Violation[] {
  const violations: Violation[] = [];
  const late: Lateness[] = [];
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
    else late.push({ what: `${history.kind} ${version} was made with the number ${number}`, ms: at - last.until, at });
  }
  return [...violations, ...lateness(late, delay)];
}
