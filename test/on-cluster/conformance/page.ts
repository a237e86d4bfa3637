import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CaseResult, type RunSummary, shortName, tableOf } from './results.js';
import { SERVERS, type ServerName } from './settings.js';

const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
const BEGIN = '<!-- written by make conformance -->\n';
const END = '<!-- end of what make conformance writes -->\n';

/** Keeps whole runs in place of those before them. Returns the last run of each server. */
export function keepResults(runs: ReadonlyMap<ServerName, RunSummary>): readonly RunSummary[] {
  const before = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  const kept = { ...before, ...Object.fromEntries(runs) } as Partial<Record<ServerName, RunSummary>>;
  writeFileSync(RESULTS, `${JSON.stringify(kept, null, 2)}\n`);
  return (Object.keys(SERVERS) as ServerName[]).flatMap((name) => kept[name] ?? []);
}

/** Writes the results of runs into their page. */
export function writePage(runs: readonly RunSummary[]): void {
  const before = readFileSync(PAGE, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for results`);
  writeFileSync(PAGE, `${before.slice(0, begin)}${BEGIN}${resultsOf(runs)}${before.slice(end)}`);
}

/** The results of runs as a part of a page: a table, and each case that did not pass with its reason. */
export function resultsOf(runs: readonly RunSummary[]): string {
  const dates = runs.map(({ server, date, minutes }) => `${server}: ${date.slice(0, 10)}, ${minutes} minutes`);
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
  `* ${outcome}: ${shortName(name)}${reason === '' ? '' : ` (${escaped(reason)})`}\n`;

/** Text without what Markdown and the site would take for markup. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[<>{}*_|[\]`]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
