import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CaseResult, groupOf, type RunSummary, shortName, tableOf } from './results.js';
import { SERVERS, type ServerName } from './settings.js';

const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
const BEGIN = '<!-- written by make conformance -->\n';
const END = '<!-- end of what make conformance writes -->\n';

/** Keeps runs in place of those before them, of which the groups stay that are not in the new one. Returns what there is of each server. */
export function keepResults(runs: ReadonlyMap<ServerName, RunSummary>): readonly RunSummary[] {
  const kept = JSON.parse(readFileSync(RESULTS, 'utf8')) as Partial<Record<ServerName, RunSummary>>;
  for (const [server, run] of runs) kept[server] = renewed(kept[server], run);
  writeFileSync(RESULTS, `${JSON.stringify(kept, null, 2)}\n`);
  return (Object.keys(SERVERS) as ServerName[]).flatMap((name) => kept[name] ?? []);
}

/** A run with the groups of one before it that it does not have. */
export function renewed(before: RunSummary | undefined, run: RunSummary): RunSummary {
  if (!before) return run;
  const rest = before.notable.filter(({ name }) => !(groupOf(name) in run.counts));
  return { ...run, counts: { ...before.counts, ...run.counts }, notable: [...rest, ...run.notable] };
}

/** Writes the results of runs into their page. */
export function writePage(runs: readonly RunSummary[]): void {
  writeFileSync(PAGE, pageWith(runs, readFileSync(PAGE, 'utf8')));
}

/**
 * A page whose results are replaced.
 *
 * @throws Error for a page without a place for results
 */
export function pageWith(runs: readonly RunSummary[], page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the page has no place for results');
  return `${page.slice(0, begin)}${BEGIN}${resultsOf(runs)}${page.slice(end)}`;
}

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

const lineOf = ({ name, outcome, reason = '' }: CaseResult): string =>
  wrapped(`* ${outcome}: ${shortName(name)}${reason === '' ? '' : ` (${escaped(reason)})`}`);

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
