import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ComparedCase, type Comparison, comparisonTable, type Verdict } from './comparison.js';
import {
  amended,
  type CasesAlone,
  type ComponentRun,
  type ComponentRuns,
  componentRemarks,
  componentSkips,
  componentTable,
  withSkipsCounted,
} from './component-runs.js';
import { type CaseResult, groupOf, type RunSummary, shortName, tableOf } from './results.js';
import { SERVERS, type ServerName } from './settings.js';

const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));

/** What is kept of the newest runs. */
export interface Kept extends Partial<Record<ServerName, RunSummary>> {
  /** Of the suite of a later release. */
  later?: Comparison;
  /** With either set of components on `orch standalone`. Those of conformance with the real ones are `orch` above. */
  components?: ComponentRuns;
  /** Cases that the kubelet and kube-scheduler ran one by one. */
  alone?: CasesAlone;
}

/** Keeps runs, and writes them into their page. */
export function keepRuns(runs: ReadonlyMap<ServerName, RunSummary>): void {
  keep((kept) => {
    for (const [server, run] of runs) kept[server] = renewed(kept[server], run);
  });
}

/** Keeps a run by which components are compared, and writes it into the page. */
export function keepComponentRun(name: ComponentRun, run: RunSummary): void {
  const whole = name.endsWith('-volumes') ? withSkipsCounted(run) : run;
  keep((kept) => {
    kept.components = { ...kept.components, [name]: renewed(kept.components?.[name], whole) };
  });
}

/** Keeps what became of chosen cases, where a whole run is kept or the real components ran them, and writes it into the page. */
export function keepCases(name: ComponentRun, cases: readonly CaseResult[]): void {
  keep((kept) => {
    const whole = kept.components?.[name];
    if (whole) kept.components = { ...kept.components, [name]: amended(whole, cases) };
    else if (name.startsWith('reference-'))
      kept.alone = { ...kept.alone, ...Object.fromEntries(cases.map((each) => [each.name, each.outcome])) };
  });
}

/** Keeps a run of a later suite, and writes it into the page. */
export function keepComparison(run: Comparison): void {
  keep((kept) => {
    kept.later = renewed(kept.later?.suite === run.suite ? kept.later : undefined, run);
  });
}

function keep(change: (kept: Kept) => void): void {
  const kept = JSON.parse(readFileSync(RESULTS, 'utf8')) as Kept;
  change(kept);
  writeFileSync(RESULTS, `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(PAGE, pageWith(kept, readFileSync(PAGE, 'utf8')));
}

/** A run with the groups of one before it that it does not have. */
export function renewed<Run extends RunSummary | Comparison>(before: Run | undefined, run: Run): Run {
  if (!before) return run;
  const rest = before.notable.filter(({ name }) => !(groupOf(name) in run.counts));
  return { ...run, counts: { ...before.counts, ...run.counts }, notable: [...rest, ...run.notable] };
}

/**
 * A page whose results are replaced.
 *
 * @throws Error for a page without a place for results
 */
export function pageWith(kept: Kept, page: string): string {
  const runs = (Object.keys(SERVERS) as ServerName[]).flatMap((name) => kept[name] ?? []);
  const whole = replaced(page, 'make conformance', resultsOf(runs));
  const withLater = kept.later ? replaced(whole, 'make conformance SUITE', comparisonOf(kept.later)) : whole;
  if (!kept.components) return withLater;
  const components = { ...(kept.orch && { 'reference-conformance': kept.orch }), ...kept.components };
  return replaced(withLater, 'make conformance NODE_AGENT', componentsOf(components, kept.alone));
}

/** A page with another text between the marks of a command. */
function replaced(page: string, command: string, text: string): string {
  const mark = `<!-- written by ${command} -->\n`;
  const [begin, end] = [page.indexOf(mark), page.indexOf(`<!-- end of what ${command} writes -->\n`)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for results of ${command}`);
  return `${page.slice(0, begin)}${mark}${text}${page.slice(end)}`;
}

/** Runs with either set of components as a part of a page. */
function componentsOf(runs: ComponentRuns, alone: CasesAlone | undefined): string {
  const dates = Object.values(runs).map(({ date }) => date.slice(0, 10));
  const remarks = componentRemarks(runs, alone).map(({ name, outcome, reason, there }) =>
    itemOf(`${outcome}: ${shortName(name)}; there: ${there}`, reason),
  );
  const skipped = [...componentSkips(runs)].map(([reason, cases]) =>
    itemOf(`${reason}: ${cases.map(({ name }) => shortName(name)).join('; ')}`),
  );
  const leftOut = countsOf(runs['orch-further']?.leftOut);
  const without = countsOf(runs['orch-volumes']?.leftOut);
  const parts = [
    ...[componentTable(runs), `Runs of ${dates.sort().at(-1)} and before.\n`],
    ...(remarks.length === 0
      ? []
      : [`What did not pass at once here, and what became of it there:\n\n${remarks.join('')}`]),
    ...(skipped.length === 0 ? [] : [`What was skipped:\n\n${skipped.join('')}`]),
    ...(without.length === 0
      ? []
      : [`Patterns of volumes that were not run, as they need, or by what the suite says:\n\n${without.join('')}`]),
    ...(leftOut.length === 0 ? [] : [`Cases of these groups that are not run, as they need:\n\n${leftOut.join('')}`]),
  ];
  return `\n${parts.join('\n')}\n`;
}

const countsOf = (counts: Readonly<Record<string, number>> = {}): string[] =>
  Object.entries(counts).map(([reason, count]) => wrapped(`* ${escaped(reason)}: ${count}`));

/** The results of runs as a part of a page: a table, and each case that did not pass with its reason. */
function resultsOf(runs: readonly RunSummary[]): string {
  const dates = runs.map(({ server, date }) => `${server}: ${date.slice(0, 10)}`);
  const parts = [tableOf(runs), `${dates.join('; ')}.\n`, ...runs.map(remarksOn)];
  return `\n${parts.join('\n')}\n`;
}

function remarksOn({ server, notable }: RunSummary): string {
  const none = `Every case passed on ${server} at its first try.\n`;
  return notable.length === 0
    ? none
    : `What did not pass on ${server}, or not at once:\n\n${notable.map(lineOf).join('')}`;
}

const lineOf = ({ name, outcome, reason }: CaseResult): string => itemOf(`${outcome}: ${shortName(name)}`, reason);

const itemOf = (text: string, reason = ''): string =>
  wrapped(`* ${text}${reason === '' ? '' : ` (${escaped(reason)})`}`);

/** What is said of the cases of a verdict, and the items that name them. */
const REMARKS: readonly (readonly [Verdict, string, (cases: readonly ComparedCase[]) => string[]])[] = [
  ['different', 'What fails, and was not seen to fail on kube-apiserver 1.27.16:', withReasons],
  ['passed', 'What passed at the second try:', withReasons],
  ['unserved', 'What fails on kube-apiserver 1.27.16 in its place as well:', byGroup],
  ['skipped', 'What was left out:', byReason],
];

/** A run of a later suite as a part of a page: a table, and the cases that did not pass. */
function comparisonOf(run: Comparison): string {
  const head = `The suite of ${run.suite.slice(1)} on ${run.server}, ${run.date.slice(0, 10)}:\n`;
  const remarks = REMARKS.flatMap(([verdict, title, itemsOf]) => {
    const cases = run.notable.filter((each) => each.verdict === verdict);
    return cases.length === 0 ? [] : [`${title}\n\n${itemsOf(cases).join('')}`];
  });
  return `\n${[head, comparisonTable(run), ...remarks].join('\n')}\n`;
}

function withReasons(cases: readonly ComparedCase[]): string[] {
  return cases.map(({ name, reason }) => itemOf(`${groupOf(name)}: ${shortName(name)}`, reason));
}

/** Names alone: what is not served fails as it must. */
function byGroup(cases: readonly ComparedCase[]): string[] {
  return listsOf(cases, ({ name }) => groupOf(name));
}

function byReason(cases: readonly ComparedCase[]): string[] {
  return listsOf(cases, ({ reason = '' }) => reason);
}

/** One item for each heading, with the names of its cases. */
function listsOf(cases: readonly ComparedCase[], headingOf: (each: ComparedCase) => string): string[] {
  const lists = Map.groupBy(cases, headingOf);
  return [...lists].map(([heading, of]) => itemOf(`${heading}: ${of.map(({ name }) => shortName(name)).join('; ')}`));
}

/** Columns of a page. */
const MOST_COLUMNS = 150;
/** Longer words, such as URLs, are cut off. */
const MOST_LETTERS = 60;

/** An item of a list in lines, those behind the first indented. */
function wrapped(item: string): string {
  const lines: string[] = [];
  for (const word of item.split(' ')) {
    const short = word.length > MOST_LETTERS ? `${word.slice(0, MOST_LETTERS)}…` : word;
    const line = lines.at(-1);
    if (line === undefined) lines.push(short);
    else if (line.length + short.length < MOST_COLUMNS) lines[lines.length - 1] = `${line} ${short}`;
    else lines.push(`  ${short}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Text without what Markdown and the site would take for markup. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[<>{}*_|[\]`]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
