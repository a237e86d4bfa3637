import { RELEASE } from '../../clients/control-plane/release-module.js';

const ONE_NODE = 'there is one node';
/** Cases that pass on no server here, by how their names begin, and why. */
const EXCLUDED: Readonly<Record<string, string>> = {
  '[sig-architecture] Conformance Tests should have at least two untainted nodes': ONE_NODE,
  '[sig-apps] Daemon set [Serial] should rollback without unnecessary restarts': ONE_NODE,
  '[sig-apps] Daemon set should rollback without unnecessary restarts': ONE_NODE,
};
/** Cases that pass, and change the machine that the cluster runs on. */
const HARMFUL: Readonly<Record<string, string>> = {
  '[sig-storage] PersistentVolumes-local Pods sharing a single local PV':
    'its volume is /tmp of the machine, which is given to a group with all that is in it',
};
const NO_REASON = 'the controller of 1.27 gives no reason for which a Job is complete';
/** Cases of later suites that wait a quarter of an hour for what the controller of Jobs does not do, and why. */
const LATER_JOBS: Readonly<Record<string, string>> = {
  'should execute all indexes despite some failing': 'Jobs have backoffLimitPerIndex from a later release on',
  'should mark indexes as failed when the FailIndex': 'Jobs have backoffLimitPerIndex from a later release on',
  'should terminate job execution when the number of': 'Jobs have maxFailedIndexes from a later release on',
  'with successPolicy': 'Jobs have successPolicy from a later release on',
  'should allow to use a pod failure policy to ignore failure matching': NO_REASON,
  'should create pods for an Indexed job': NO_REASON,
  'should manage the lifecycle of a job': NO_REASON,
  'should run a job to completion when tasks sometimes fail and are locally': NO_REASON,
};

/** Tells why a case of the suite of a release cannot pass, or is not run, on a cluster here; undefined for all others. */
export const excludedIn =
  (suite: string) =>
  (name: string): string | undefined =>
    beginningOf(name, { ...EXCLUDED, ...HARMFUL }) ?? (suite === RELEASE ? undefined : later(name));

const beginningOf = (name: string, reasons: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(reasons).find(([beginning]) => name.startsWith(beginning))?.[1];

/** Why a case is for later releases than that of the components, by its name. */
function later(name: string): string | undefined {
  const [, kubelet] = /\[MinimumKubeletVersion:([\d.]+)\]/.exec(name) ?? [];
  if (kubelet !== undefined) return `for kubelets from ${kubelet} on`;
  const [, job] = /^\[sig-apps\] Job (.*)/.exec(name) ?? [];
  return job === undefined ? undefined : beginningOf(job, LATER_JOBS);
}
