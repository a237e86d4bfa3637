import type { AgentName } from '../node-agents.js';
import { UNREACHED } from './portions.js';
import { type CaseResult, groupOf, type Outcome, type RunSummary, tableOf } from './results.js';
import { CASE_SETS, type CaseSet } from './settings.js';

/** What tables call the two sets of components. */
const COMPONENTS: Readonly<Record<AgentName, string>> = {
  orch: 'orch node-agent, orch scheduler',
  reference: 'kubelet, kube-scheduler 1.27.16',
};
const SETS = Object.keys(CASE_SETS) as CaseSet[];

/** Name of a run by whose the node agent and the scheduler are, and which cases. */
export type ComponentRun = `${AgentName}-${CaseSet}`;
/** The newest runs on `orch standalone` by which components are compared. */
export type ComponentRuns = Partial<Record<ComponentRun, RunSummary>>;

/** What became of cases that were chosen by their names, without a run of their whole group. */
export type CasesAlone = Readonly<Record<string, Outcome>>;

/** A case that did not pass, or not at once, and what became of it with the other components. */
export interface ComponentRemark extends CaseResult {
  /** What became of it with the kubelet and kube-scheduler. */
  readonly there: string;
}

/** A table of runs with either set of components, a row for each group and set of cases that both have. */
export function componentTable(runs: ComponentRuns): string {
  const columns = (Object.keys(COMPONENTS) as AgentName[]).map((components): RunSummary => {
    const counts = SETS.flatMap((cases) =>
      Object.entries(runs[`${components}-${cases}`]?.counts ?? {})
        .filter(([group]) => runs[`orch-${cases}`]?.counts[group])
        .map(([group, count]) => [`${group}, ${CASE_SETS[cases]}`, count] as const),
    );
    return { server: COMPONENTS[components], date: '', counts: Object.fromEntries(counts), notable: [] };
  });
  return tableOf(columns);
}

/**
 * The cases that did not pass at once with the node agent and the scheduler of orch.
 *
 * @param alone cases that the kubelet and kube-scheduler ran one by one
 */
export function componentRemarks(runs: ComponentRuns, alone: CasesAlone = {}): readonly ComponentRemark[] {
  return SETS.flatMap((cases) =>
    (runs[`orch-${cases}`]?.notable ?? [])
      .filter(({ outcome }) => outcome !== 'skipped')
      .map((each) => ({
        ...each,
        there: alone[each.name] ?? outcomeIn(runs[`reference-${cases}`], each),
      })),
  );
}

function outcomeIn(run: RunSummary | undefined, { name }: CaseResult): string {
  if (!run?.counts[groupOf(name)]) return 'not run';
  const noted = run.notable.find((each) => each.name === name);
  return noted ? noted.outcome : 'passed';
}

/** Cases that were not run to their end with the node agent and the scheduler of orch, by the reason. */
export function componentSkips(runs: ComponentRuns): ReadonlyMap<string, readonly CaseResult[]> {
  const all = SETS.flatMap((cases) => runs[`orch-${cases}`]?.notable ?? []);
  const skipped = all.filter(({ outcome }) => outcome === 'skipped');
  return Map.groupBy(skipped, ({ reason = '' }) => (NODES.test(reason) ? 'there is one node' : withoutPlace(reason)));
}

/** Cases say in many ways that they need more nodes. */
const NODES = /\b(?:[23]|two)\b.*\bnodes\b|number of nodes/i;
const withoutPlace = (reason: string): string => reason.replace(/ \(test\/.*\)$/, '');

/** A run of hundreds of cases that leave themselves out, whose names say nothing that the reasons do not: these are counted. */
export function withSkipsCounted(run: RunSummary): RunSummary {
  const leftOut: Record<string, number> = { ...run.leftOut };
  const isSkipped = ({ outcome }: CaseResult) => outcome === 'skipped';
  for (const { reason = '' } of run.notable.filter(isSkipped)) {
    const short = withoutPlace(reason).replace(/\W*skipping$/, '');
    leftOut[short] = (leftOut[short] ?? 0) + 1;
  }
  return { ...run, notable: run.notable.filter((each) => !isSkipped(each)), leftOut };
}

/** A run of all cases of its groups, with what has become since of some of them; what was not run changes nothing. */
export function amended(run: RunSummary, cases: readonly CaseResult[]): RunSummary {
  const counts = structuredClone(run.counts) as Record<string, Record<Outcome, number>>;
  const notable = new Map(run.notable.map((each) => [each.name, each]));
  for (const each of cases) {
    const of = counts[groupOf(each.name)];
    if (!of) continue;
    if (each.outcome === 'skipped') {
      const isReason = each.reason !== UNREACHED && notable.get(each.name)?.outcome === 'skipped';
      if (isReason) notable.set(each.name, each);
      continue;
    }
    of[notable.get(each.name)?.outcome ?? 'passed']--;
    of[each.outcome]++;
    if (each.outcome === 'passed' && !each.reason) notable.delete(each.name);
    else notable.set(each.name, each);
  }
  return { ...run, counts, notable: [...notable.values()] };
}
