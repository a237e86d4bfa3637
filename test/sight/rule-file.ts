import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly Rule[];
}

/** The groups of a rule file, or of a `PrometheusRule` object that holds one. */
export function readRules(file: string): readonly RuleGroup[] {
  const document = parse(readFileSync(file, 'utf8'));
  return (document.spec ?? document).groups;
}

export const rulesText = (groups: readonly RuleGroup[]): string => stringify({ groups });

/** Bounds that are reached in seconds, in the place of those that are reached in minutes and hours, by alert. */
const HURRIED_BOUNDS: Readonly<Record<string, number>> = {
  OrchHistoryOverdue: 5,
  OrchCompactionFails: 2,
  OrchErrorsRepeat: 2,
  OrchLimitsReached: 10,
};

/** The same rules with windows, patience and bounds of seconds, for a test that has no hours. */
export const hurried = (groups: readonly RuleGroup[], window: string, patience: string): RuleGroup[] =>
  groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: bounded(rule)
        .replace(/\[\d+[smhd]\]/g, `[${window}]`)
        .replace(/offset \d+[smhd]/g, `offset ${window}`),
      ...(rule.for && { for: patience }),
    })),
  }));

function bounded({ alert = '', expr }: Rule): string {
  const bound = HURRIED_BOUNDS[alert];
  return bound === undefined ? expr : expr.replace(/> \d+\s*$/, `> ${bound}`);
}

/** Evaluated every second, with their windows as they are. */
export const often = (groups: readonly RuleGroup[]): RuleGroup[] =>
  groups.map((group) => ({ ...group, interval: '1s' }));

const COMPARISON = /^([\s\S]+?)\s*(?:==|>=|<=|>|<)\s*[\d.]+\s*$/;

/**
 * Returns the expressions of a rule: that of a record, the values that an alert compares with bounds, or whose absence
 * it reports.
 */
export function valuesOf({ alert, expr }: Rule): string[] {
  if (alert === undefined) return [expr];
  return expr.split(/\s+and\s+/).map((part) => {
    const [, value] = COMPARISON.exec(part) ?? [];
    if (value === undefined) throw new Error(`${alert}: not a comparison with a number: ${part}`);
    return /^absent\((.*)\)$/s.exec(value)?.[1] ?? value;
  });
}

/** Returns the display name of an alert: with its severity if two rules have the same name. */
export function alertNames(groups: readonly RuleGroup[]): (labels: Readonly<Record<string, string>>) => string {
  const names = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  const doubled = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return ({ alertname = '', severity }) => (doubled.has(alertname) ? `${alertname}, ${severity}` : alertname);
}
