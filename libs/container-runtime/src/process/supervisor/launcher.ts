import type { LaunchPlan } from '../state/records.js';

/** Name by which the first stage of a launch is known. */
const STAGE = 'orch-launch';
/** Folder in a container with the programs of the last stages. */
export const HELPERS = '/.orch';

/**
 * Joins control groups, opens the file in which the builder of namespaces announces its first process, and becomes the
 * next stage. Arguments: file, parent, oom_score_adj, number of groups, groups, next stage. Where the parent has ended
 * already, nothing is started.
 */
const SCRIPT = `info=$1 parent=$2 score=$3 count=$4; shift 4
[ -z "$parent" ] || [ "$parent" = "$PPID" ] || exit 126
while [ "$count" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 126; shift; count=$((count - 1)); done
[ -z "$score" ] || { echo "$score" > /proc/self/oom_score_adj; } 2>/dev/null
[ -z "$info" ] || exec 3>"$info"
exec "$@"`;

/** Returns the arguments of the first stage of a launch. @param parent process that has to run; empty for any */
export function launcherArgv(
  { argv, announces, cgroups, oomScoreAdj }: Omit<LaunchPlan, 'cwd' | 'env'>,
  info: string,
  parent = '',
): string[] {
  const settings = [
    announces ? info : '',
    parent,
    oomScoreAdj === undefined ? '' : `${oomScoreAdj}`,
    `${cgroups.length}`,
  ];
  return ['/bin/sh', '-c', SCRIPT, STAGE, ...settings, ...cgroups, ...argv];
}

/**
 * Returns the environment of a launch: that of the container is set within it, as nothing of it may be used by programs
 * of the node.
 */
export const launcherEnvironment = (packed: LaunchPlan['env']): NodeJS.ProcessEnv => ({
  ...{ ...packed, PATH: process.env.PATH ?? '', LC_ALL: 'C' },
});

/** Returns whether a process is still a stage of a launch, by its arguments. */
export function isLauncher([program = '', first, second, stage]: readonly string[]): boolean {
  if (stage === STAGE || program.startsWith(`${HELPERS}/`)) return true;
  return (
    (/\/(?:bwrap|setpriv|nsenter)$/.test(program) && first?.startsWith('--') === true) ||
    (/\/env$/.test(program) && first === '-S' && second?.startsWith('-i -- ') === true)
  );
}

/** Words of a stage that has failed: those of the program come behind them, if any. */
export const LAUNCH_FAILURE = /^(?:(?:bwrap|nsenter): |\S*(?:setpriv|env): )(.*)/;
