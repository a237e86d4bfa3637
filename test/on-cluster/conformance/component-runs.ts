import type { AgentName } from '../node-agents.js';
import { type CaseResult, groupOf, type RunSummary, tableOf } from './results.js';
import type { CaseSet } from './settings.js';

/** What tables call the two sets of components. */
const COMPONENTS: Readonly<Record<AgentName, string>> = {
  orch: 'orch node-agent, orch scheduler',
  reference: 'kubelet, kube-scheduler 1.27.16',
};
const SETS: Readonly<Record<CaseSet, string>> = { conformance: '[Conformance]', further: 'further cases' };

/** Name of a run by whose the node agent and the scheduler are, and which cases. */
export type ComponentRun = `${AgentName}-${CaseSet}`;
/** The newest runs on `orch standalone` by which components are compared. */
export type ComponentRuns = Partial<Record<ComponentRun, RunSummary>>;

/** A case that did not pass, or not at once, and what became of it with the other components. */
export interface ComponentRemark extends CaseResult {
  /** What became of it with the kubelet and kube-scheduler. */
  readonly there: string;
}

/** A table of runs with either set of components, a row for each group and set of cases that both have. */
export function componentTable(runs: ComponentRuns): string {
  const columns = (Object.keys(COMPONENTS) as AgentName[]).map((components): RunSummary => {
    const counts = (Object.keys(SETS) as CaseSet[]).flatMap((cases) =>
      Object.entries(runs[`${components}-${cases}`]?.counts ?? {})
        .filter(([group]) => runs[`orch-${cases}`]?.counts[group])
        .map(([group, count]) => [`${group}, ${SETS[cases]}`, count] as const),
    );
    return { server: COMPONENTS[components], date: '', counts: Object.fromEntries(counts), notable: [] };
  });
  return tableOf(columns);
}

/** The cases that did not pass at once with the node agent and the scheduler of orch. */
export function componentRemarks(runs: ComponentRuns): readonly ComponentRemark[] {
  return (Object.keys(SETS) as CaseSet[]).flatMap((cases) =>
    (runs[`orch-${cases}`]?.notable ?? [])
      .filter(({ outcome }) => outcome !== 'skipped')
      .map((each) => ({
        ...each,
        there: outcomeIn(runs[`reference-${cases}`], each),
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
  const all = (Object.keys(SETS) as CaseSet[]).flatMap((cases) => runs[`orch-${cases}`]?.notable ?? []);
  const skipped = all.filter(({ outcome }) => outcome === 'skipped');
  return Map.groupBy(skipped, ({ reason = '' }) => (NODES.test(reason) ? 'there is one node' : withoutPlace(reason)));
}

/** Cases say in many ways that they need more nodes. */
const NODES = /\b(?:[23]|two)\b.*\bnodes\b|number of nodes/i;
const withoutPlace = (reason: string): string => reason.replace(/ \(test\/.*\)$/, '');
