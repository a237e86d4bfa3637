import { RELEASE } from '../../clients/control-plane/release-module.js';

const ONE_NODE = 'there is one node';
/** Cases that pass on no server here, by how their names begin, and why. */
const EXCLUDED: Readonly<Record<string, string>> = {
  '[sig-architecture] Conformance Tests should have at least two untainted nodes': ONE_NODE,
  '[sig-apps] Daemon set [Serial] should rollback without unnecessary restarts': ONE_NODE,
  '[sig-apps] Daemon set should rollback without unnecessary restarts': ONE_NODE,
};
/** Cases of later suites about fields that came later: without them each waits a quarter of an hour for a Job to end. */
const LATER_FIELDS: Readonly<Record<string, string>> = {
  '[sig-apps] Job should execute all indexes despite some failing when using backoffLimitPerIndex':
    'backoffLimitPerIndex',
  '[sig-apps] Job should mark indexes as failed when the FailIndex action is matched': 'backoffLimitPerIndex',
  '[sig-apps] Job should terminate job execution when the number of failed indexes exceeds': 'maxFailedIndexes',
  '[sig-apps] Job with successPolicy': 'successPolicy',
};

/** Tells why a case of the suite of a release cannot pass on a cluster here; undefined for all others. */
export const excludedIn =
  (suite: string) =>
  (name: string): string | undefined =>
    beginningOf(name, EXCLUDED) ?? (suite === RELEASE ? undefined : later(name));

const beginningOf = (name: string, reasons: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(reasons).find(([beginning]) => name.startsWith(beginning))?.[1];

/** Why a case is for later releases than that of the components, by its name. */
function later(name: string): string | undefined {
  const [, kubelet] = /\[MinimumKubeletVersion:([\d.]+)\]/.exec(name) ?? [];
  const field = beginningOf(name, LATER_FIELDS);
  if (field !== undefined) return `Jobs have ${field} from a later release on`;
  return kubelet === undefined ? undefined : `for kubelets from ${kubelet} on`;
}
