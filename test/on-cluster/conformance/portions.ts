import { type CaseResult, groupOf } from './results.js';
import type { Suite } from './suite.js';

/** Groups whose cases run together: those whose cases wait for pods beside those that need the server alone. */
const PORTIONS = [
  ['api-machinery'],
  ['architecture', 'auth', 'cli', 'instrumentation', 'network', 'storage'],
  ['apps', 'node'],
  ['scheduling'],
] as const;

/** Time for a case, when few are run. */
const CASE_MS = 600_000;
/** Below it nothing is begun any more. */
const LEAST_MS = 60_000;
/** Cases that failed are few, and are tried where little else is done. */
const AT_ONCE_AGAIN = 2;

/** Why a case was skipped that nobody had time for. */
export const UNREACHED = 'not reached in the time';

/** What runs cases. */
type Runner = Pick<Suite, 'names' | 'run'>;

/** What is run, and how. */
export interface Choice {
  /** Groups, as `network`; all when empty. */
  readonly groups: readonly string[];
  /** Cases whose name matches; all when undefined. */
  readonly only: RegExp | undefined;
  /** Cases that run at once. */
  readonly atOnce: number;
  /** When to end, milliseconds since the epoch; what has not been reached is skipped. */
  readonly until: number;
  /** Why a case cannot pass on a cluster as this one, whatever the server; such cases are skipped. */
  readonly excluded: (name: string) => string | undefined;
}

/** Runs the chosen cases in portions, tries those that fail once more, and prints what became of each portion. */
export async function runPortions(suite: Runner, choice: Choice): Promise<readonly CaseResult[]> {
  const chosen = (await suite.names()).filter((name) => isChosen(name, choice));
  const left = new Set(chosen.map(groupOf));
  for (const group of PORTIONS.flat()) left.delete(group);
  const results: CaseResult[] = [];
  for (const portion of [...PORTIONS, [...left]]) {
    const names = chosen.filter((name) => portion.some((group) => group === groupOf(name)));
    const groups = portion.filter((group) => names.some((name) => groupOf(name) === group));
    if (names.length === 0) continue;
    console.log(`${groups.join(', ')}: ${names.length} cases`);
    const done = await runPortion(suite, groups.join('-'), names, choice);
    for (const { name, outcome, reason } of done)
      if (outcome !== 'passed' || reason) console.log(`  ${outcome}: ${name}${reason ? `: ${reason}` : ''}`);
    console.log(`  ${done.filter(({ outcome }) => outcome === 'passed').length} of ${names.length} passed`);
    results.push(...done);
  }
  return results;
}

const isChosen = (name: string, { groups, only }: Choice): boolean =>
  (groups.length === 0 || groups.includes(groupOf(name))) && (only?.test(name) ?? true);

async function runPortion(suite: Runner, label: string, names: readonly string[], choice: Choice) {
  const { atOnce, until, excluded } = choice;
  const results = new Map<string, CaseResult>();
  const run = async (part: string, some: readonly string[], most: number) => {
    const limitMs = Math.min(until - Date.now(), CASE_MS * some.length);
    if (some.length === 0 || limitMs < LEAST_MS) return [];
    return suite.run(some, { label: `${label}-${part}`, atOnce: Math.min(most, some.length), limitMs });
  };
  const todo = names.filter((name) => excluded(name) === undefined);
  const alone = todo.filter((name) => /\[(?:Serial|Disruptive)\]/.test(name));
  const together = todo.filter((name) => !alone.includes(name));
  for (const each of await run('together', together, atOnce)) results.set(each.name, each);
  for (const each of await run('alone', alone, 1)) results.set(each.name, each);
  const failed = todo.filter((name) => results.get(name)?.outcome === 'failed');
  for (const again of await run('again', failed, AT_ONCE_AGAIN)) {
    const reason = results.get(again.name)?.reason ?? '';
    if (again.outcome === 'passed') results.set(again.name, { ...again, reason: `at the second try; first ${reason}` });
  }
  return names.map((name) => results.get(name) ?? unreached(name, excluded(name)));
}

const unreached = (name: string, reason = UNREACHED): CaseResult => ({
  name,
  outcome: 'skipped',
  reason,
});
