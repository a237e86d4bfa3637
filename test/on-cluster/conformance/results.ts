/** What became of a case. */
export type Outcome = 'passed' | 'failed' | 'skipped';

/** A case of the suite that was run, or left out. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** Why it did not pass; of one that passed at its second try, why it did not at the first. */
  readonly reason?: string;
}

/** A run of the suite against one server. */
export interface RunResult {
  /** Name and version of the server. */
  readonly server: string;
  /** When it began, ISO 8601. */
  readonly date: string;
  readonly cases: readonly CaseResult[];
  /** How many cases were not chosen, by the reason. */
  readonly leftOut?: Readonly<Record<string, number>>;
}

/** Numbers of cases by their outcome. */
export type Counts = Readonly<Record<Outcome, number>>;

/** The special interest group that a case is of, as `network`. */
export const groupOf = (name: string): string => /^\[sig-([^\]]+)\]/.exec(name)?.[1] ?? 'other';

/** The name of a case without the marks in brackets at its end and its group in front. */
export const shortName = (name: string): string =>
  name
    .replace(/^\[sig-[^\]]+\] /, '')
    .replaceAll(/\[(?:FeatureGate|MinimumKubeletVersion):[\w.]+\] ?/g, '')
    .replaceAll(/ ?\[[A-Z][\w:.]*(?: [\w:.]+)?\](?=$| ?\[)/g, '');

/** What is kept of a run: numbers, and the cases of which there is something to say. */
export interface RunSummary extends Omit<RunResult, 'cases'> {
  readonly counts: Readonly<Record<string, Counts>>;
  /** Cases that did not pass, or not at once. */
  readonly notable: readonly CaseResult[];
}

/** Counts the cases of a run by their groups. */
export function summaryOf({ cases, ...run }: RunResult): RunSummary {
  const counts: Record<string, Record<Outcome, number>> = {};
  for (const { name, outcome } of cases) {
    counts[groupOf(name)] ??= { passed: 0, failed: 0, skipped: 0 };
    counts[groupOf(name)]![outcome]++;
  }
  return { ...run, counts, notable: cases.filter(({ outcome, reason }) => outcome !== 'passed' || reason) };
}

const OUTCOMES = ['passed', 'failed', 'skipped'] as const;

/** Formats the numbers of one run, summed over groups. */
const cell = (of: readonly Counts[]): string =>
  OUTCOMES.map((outcome) => of.reduce((sum, each) => sum + each[outcome], 0)).join(' / ');

/** A table of groups and what became of their cases, with a column of three numbers for each run. */
export function tableOf(runs: readonly RunSummary[]): string {
  const groups = [...new Set(runs.flatMap(({ counts }) => Object.keys(counts)))].sort();
  const rows = groups.map((group) => [
    `sig-${group}`,
    ...runs.map(({ counts: { [group]: of } }) => (of ? cell([of]) : '')),
  ]);
  const sums = ['**all**', ...runs.map(({ counts }) => cell(Object.values(counts)))];
  const head = [OUTCOMES.join(' / '), ...runs.map(({ server }) => server)];
  return [head, head.map(() => '---'), ...rows, sums].map((row) => `| ${row.join(' | ')} |\n`).join('');
}
