import { type CaseResult, groupOf, type RunResult } from './results.js';

/** What became of a case of a later suite, seen beside the reference. */
export type Verdict = 'passed' | 'unserved' | 'different' | 'skipped';

/** A case of which there is something to say. */
export interface ComparedCase {
  readonly name: string;
  readonly verdict: Verdict;
  readonly reason?: string;
}

/** A run of a later suite against a server, of which the reference has run what failed. */
export interface Comparison {
  /** Release of the suite, as `v1.37.2`. */
  readonly suite: string;
  /** Name and version of the server. */
  readonly server: string;
  /** When it began, ISO 8601. */
  readonly date: string;
  readonly counts: Readonly<Record<string, Readonly<Record<Verdict, number>>>>;
  /** Cases that did not pass, or not at once. */
  readonly notable: readonly ComparedCase[];
}

/** What tables call the verdicts. */
const VERDICTS: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  unserved: 'not served by 1.27',
  different: 'differences',
  skipped: 'skipped',
};
const NONE: Readonly<Record<Verdict, number>> = { passed: 0, unserved: 0, different: 0, skipped: 0 };

/** Names of the cases of a run that failed, which the reference is asked about. */
export const failedIn = ({ cases }: RunResult): string[] =>
  cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);

/**
 * Compares a run of a later suite with what became of its failures on the reference. What fails there too is not served by that
 * release; what was not seen to fail there is a difference.
 */
export function compared(suite: string, run: RunResult, reference: readonly CaseResult[]): Comparison {
  const there = new Map(reference.map(({ name, outcome }) => [name, outcome]));
  const verdictOf = ({ name, outcome }: CaseResult): Verdict => {
    if (outcome !== 'failed') return outcome;
    return there.get(name) === 'failed' ? 'unserved' : 'different';
  };
  const counts: Record<string, Record<Verdict, number>> = {};
  const notable: ComparedCase[] = [];
  for (const each of run.cases) {
    const [group, verdict] = [groupOf(each.name), verdictOf(each)];
    counts[group] ??= { ...NONE };
    counts[group][verdict]++;
    const { name, reason } = each;
    if (verdict !== 'passed' || reason) notable.push({ name, verdict, ...(reason && { reason }) });
  }
  return { suite, server: run.server, date: run.date, counts, notable };
}

/** A table of groups and what became of their cases, one column for each verdict. */
export function comparisonTable({ counts }: Comparison): string {
  const verdicts = Object.keys(VERDICTS) as Verdict[];
  const row = (name: string, of: readonly Readonly<Record<Verdict, number>>[]) => [
    name,
    ...verdicts.map((verdict) => of.reduce((sum, each) => sum + each[verdict], 0)),
  ];
  const groups = Object.keys(counts).sort();
  const head = ['', ...verdicts.map((verdict) => VERDICTS[verdict])];
  const rows = groups.map((group) => row(`sig-${group}`, [counts[group] ?? NONE]));
  return [head, head.map(() => '---'), ...rows, row('**all**', Object.values(counts))]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}
