import type { CaseResult } from './results.js';

const MAX_REASON = 400;

/** A result as the runner of the suite reports it (`SpecReports` of Ginkgo). */
export interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string; readonly Location?: { FileName?: string; LineNumber?: number } };
}

/** The results of the cases that have begun, in the order of the report; what failed beside cases is printed. */
export function resultsIn(suites: readonly { readonly SpecReports: readonly Spec[] | null }[]): CaseResult[] {
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  const broken = specs.find(({ LeafNodeType, State }) => LeafNodeType !== 'It' && FAILED.has(State));
  if (broken) console.log(`  ${broken.LeafNodeType}: ${reasonOf(broken)}`);
  return specs.filter(({ LeafNodeType }) => LeafNodeType === 'It').flatMap(resultOf);
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'panicked', 'timedout', 'aborted']);

/** What is said of the cases that run when the time of the whole run is over: they are no further than those that never began. */
const OVER = /^A suite timeout occurred/;

/** The result of a case that has begun; cases that were not asked for are skipped without a word. */
function resultOf(spec: Spec): CaseResult[] {
  const name = oneLine([...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '));
  if (spec.State === 'passed') return [{ name, outcome: 'passed' }];
  if (spec.State === 'timedout' && OVER.test(spec.Failure?.Message ?? '')) return [];
  if (FAILED.has(spec.State)) return [{ name, outcome: 'failed', reason: reasonOf(spec) }];
  if (spec.State === 'skipped' && spec.Failure?.Message) return [{ name, outcome: 'skipped', reason: reasonOf(spec) }];
  return [];
}

/** The message of a failure on one line, and where in the suite it is. */
function reasonOf({ Failure }: Spec): string {
  const { FileName = '', LineNumber = 0 } = Failure?.Location ?? {};
  const message = oneLine(Failure?.Message ?? '');
  const short = message.length > MAX_REASON ? `${message.slice(0, MAX_REASON)}…` : message;
  return `${short} (${FileName.replace(/^.*\/test\//, 'test/')}:${LineNumber})`;
}

/** Text with one blank wherever it has blanks and ends of lines. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** An expression that a name matches, in which blanks of the suite's source may be several. */
export const expressionFor = (name: string): string =>
  name.replaceAll(/[.[\](){}+*?|^$\\]/g, '\\$&').replaceAll(' ', ' +');

/**
 * An expression that each of the names matches. What they begin with alike is in it once: hundreds of names side by side take the
 * suite minutes to compare with all that it has.
 */
export function expressionForAll(names: readonly string[]): string {
  const byWord = Map.groupBy(names, (name) => name.split(' ', 1)[0] ?? '');
  const parts = [...byWord].map(([word, beginning]) => {
    const rests = beginning.map((name) => name.slice(word.length + 1));
    // A name that ends here is found in the longer ones as well.
    return expressionFor(word) + (rests.includes('') ? '' : ` +${expressionForAll(rests)}`);
  });
  return parts.length === 1 ? (parts[0] ?? '') : `(?:${parts.join('|')})`;
}
