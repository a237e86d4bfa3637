import type { Check, PodCheck, PodView, Violation } from './check.js';
import { allowPrivilegeEscalation } from './checks/allow-privilege-escalation.js';
import { appArmorProfile } from './checks/app-armor-profile.js';
import { capabilitiesBaseline, capabilitiesRestricted } from './checks/capabilities.js';
import { hostNamespaces, hostPathVolumes, hostPorts } from './checks/host-access.js';
import { privileged } from './checks/privileged.js';
import { procMount } from './checks/proc-mount.js';
import { restrictedVolumes } from './checks/restricted-volumes.js';
import { runAsNonRoot, runAsUser } from './checks/run-as.js';
import { seLinuxOptions } from './checks/se-linux-options.js';
import { seccompProfileBaseline, seccompProfileRestricted } from './checks/seccomp-profile.js';
import { sysctls } from './checks/sysctls.js';
import { windowsHostProcess } from './checks/windows-host-process.js';
import type { LevelVersion } from './level-version.js';

/**
 * All checks, those of `baseline` first, and by identifier within a level: the order in which findings are reported.
 */
const CHECKS: readonly Check[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  seLinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
];
/** Newest minor release in which a check changed; later ones have the same checks. */
const NEWEST = Math.max(...CHECKS.flatMap(({ versions }) => versions.map(({ since }) => since)));

const known = new Map<string, readonly PodCheck[]>();

/** Returns the violations of a level by a pod; empty if the pod is allowed. */
export function findingsOn(pod: PodView, { level, minor }: LevelVersion): readonly Violation[] {
  if (level === 'privileged') return [];
  return checksOf(level, Math.min(minor, NEWEST)).flatMap((check) => check(pod) ?? []);
}

/** Returns the reasons: `host namespaces, privileged`. */
export const reasonsOf = (findings: readonly Violation[]): string => findings.map(({ reason }) => reason).join(', ');

/** Returns the reasons with details: `host namespaces (hostPID=true), privileged (…)`. */
export const detailsOf = (findings: readonly Violation[]): string =>
  findings.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const key = `${level} ${minor}`;
  const checks = known.get(key) ?? selected(level, minor);
  known.set(key, checks);
  return checks;
}

function selected(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const holding = CHECKS.flatMap((check) => {
    const version = check.versions.findLast(({ since }) => since <= minor);
    const isMeant = version && (check.level === 'baseline' || level === 'restricted');
    return isMeant ? [{ ...check, run: version.check }] : [];
  });
  const overridden = new Set(holding.map(({ overrides }) => overrides));
  return holding.filter(({ id }) => !overridden.has(id)).map(({ run }) => run);
}
