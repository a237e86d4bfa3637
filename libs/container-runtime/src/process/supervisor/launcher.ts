import { programOf } from '../isolation/program-of.js';
import type { LaunchPlan } from '../state/records.js';

/** Name by which the first stage of a launch is known. */
const STAGE = 'orch-launch';
/** Folder in a container with the programs of the last stages. */
export const HELPERS = '/.orch';

/**
 * Ends if the supervisor has ended before it was noted that the program ends with it; joins control groups, opens the file in
 * which the builder of namespaces announces its first process, and becomes the next stage. Arguments: supervisor, file,
 * oom_score_adj, number of groups, groups, next stage.
 */
const SCRIPT = `[ "$PPID" = "$1" ] || exit 125
info=$2 score=$3 count=$4; shift 4
while [ "$count" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 126; shift; count=$((count - 1)); done
[ -z "$score" ] || { echo "$score" > /proc/self/oom_score_adj; } 2>/dev/null
[ -z "$info" ] || exec 3>"$info"
exec "$@"`;

/** Returns the arguments of the first stage of a launch by this process, which it does not outlive. */
export function launcherArgv(
  { argv, announces, cgroups, oomScoreAdj }: Omit<LaunchPlan, 'cwd' | 'env'>,
  info: string,
): string[] {
  const settings = [announces ? info : '', oomScoreAdj === undefined ? '' : `${oomScoreAdj}`, `${cgroups.length}`];
  const shell = ['/bin/sh', '-c', SCRIPT, STAGE, `${process.pid}`, ...settings, ...cgroups, ...argv];
  return [programOf('setpriv'), '--pdeathsig', 'KILL', '--', ...shell];
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
