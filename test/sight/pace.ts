import { alertTimes } from './alert-times.js';
import { nameOf } from './fault-series.js';
import { FAULTS } from './faults.js';
import { hurried, type RuleGroup } from './rule-file.js';

/** In the place of minutes and hours in rules, at the pace of tests. */
export const WINDOW = '20s';
export const PATIENCE = '8s';

const MINUTE = 60_000;
/** Maximum waits with the shipped rules: alerts must fire, and end, within this many seconds. */
export interface Longest {
  readonly fires: number;
  readonly ends: number;
}
const LONGEST: Longest = { fires: 20 * 60, ends: 12 * 60 };
/** Minutes for scrapes, evaluations, and faults that take time to be felt. */
const SLACK = 4;

/** A transition of an alert. */
type Deed = keyof Longest;

/** How often Prometheus looks, what rules it goes by, and for how long alerts are waited for. */
export interface Pace {
  /** Seconds between two scrapes, and two evaluations. */
  readonly step: number;
  rules(groups: readonly RuleGroup[]): readonly RuleGroup[];
  /** Returns those of the alerts whose transition is awaited. */
  awaited(alerts: readonly string[], deed: Deed): string[];
  /** Milliseconds for which they are waited for. */
  within(alerts: readonly string[], deed: Deed): number;
}

/** Windows, patience and bounds of seconds, so that all of it is over within minutes. */
const TESTS: Pace = {
  step: 1,
  rules: (groups) => hurried(groups, WINDOW, PATIENCE),
  awaited: (alerts) => [...alerts],
  within: () => MINUTE,
};

/** Rules, scrapes and evaluations as operators have them, to measure how long alerts take. */
const shipped = (groups: readonly RuleGroup[], most: Longest): Pace => {
  const times = alertTimes(groups, FAULTS);
  const longest = (alert: string, deed: Deed) =>
    Math.max(
      ...FAULTS.map((fault, at) => (nameOf(fault) === alert ? (times[at]?.[deed] ?? Number.POSITIVE_INFINITY) : 0)),
    );
  const awaited: Pace['awaited'] = (alerts, deed) => alerts.filter((alert) => longest(alert, deed) <= most[deed]);
  return {
    step: 15,
    rules: () => groups,
    awaited,
    within: (alerts, deed) =>
      Math.max(...awaited(alerts, deed).map((alert) => longest(alert, deed)), 0) * 1000 + SLACK * MINUTE,
  };
};

export const isShipped = process.env.SIGHT_PACE === 'shipped';

/** @param longest of the alerts that are waited for at the pace that is shipped */
export const paceOf = (groups: readonly RuleGroup[], longest = LONGEST): Pace =>
  isShipped ? shipped(groups, longest) : TESTS;

/** In which the alerts of one step fire, or end. */
export const ALERT_MS = isShipped ? 25 * MINUTE : MINUTE;
