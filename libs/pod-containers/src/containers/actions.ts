import type { Container, EphemeralContainer, Pod } from '@orch/schema/types/core/v1';
import { specHash } from './labels.js';
import { latestRun, type ObservedContainer, type ObservedPod } from './observed-pod.js';
import { shouldStart } from './restart.js';

/** Reason for which a container is killed, which decides about its grace period. */
export type KillReason = 'changed' | 'liveness' | 'startup' | 'unknown' | 'ending';

/** A container to be killed. */
interface KillAction {
  /** Its present run. */
  readonly run: ObservedContainer;
  /** Reason. */
  readonly reason: KillReason;
  /** Sentence of the event. */
  readonly message: string;
}

/** Steps from what runs to what should run. They are carried out in the order of the members. */
export interface PodActions {
  /** Whether all containers and sandboxes are stopped first. */
  readonly killPod: boolean;
  /** Whether a new sandbox is made. */
  readonly createSandbox: boolean;
  /** Number of sandboxes before the one that is used. */
  readonly attempt: number;
  /** Sandbox that is used or replaced; undefined if there is none. */
  readonly sandboxId: string | undefined;
  /** Containers to be killed, if not all are. */
  readonly kill: readonly KillAction[];
  /** Ephemeral containers to be started. */
  readonly startEphemeral: readonly EphemeralContainer[];
  /** Init container to be started. */
  readonly startInit: Container | undefined;
  /** Containers to be started. */
  readonly start: readonly Container[];
}

/** Returns the probe by which a container has to be killed; undefined if none has failed. */
export type FailedProbe = (fullId: string) => 'Liveness' | 'Startup' | undefined;

const NOTHING = { killPod: false, kill: [], startEphemeral: [], startInit: undefined, start: [] };

/** Computes what is to be done so that the containers of a pod run which should. */
export function actionsOf(pod: Pod, observed: ObservedPod, failedProbe: FailedProbe): PodActions {
  const sandbox = sandboxOf(pod, observed);
  const base = { ...NOTHING, ...sandbox };
  if (sandbox.createSandbox) return { ...base, ...inNewSandbox(pod, observed, sandbox.attempt) };
  const startEphemeral = (pod.spec?.ephemeralContainers ?? []).filter(({ name = '' }) => !latestRun(observed, name));
  const init = initStep(pod, observed);
  if (init.isDone) return { ...base, startEphemeral, ...regularActions(pod, observed, failedProbe) };
  if (!init.next) return { ...base, startEphemeral };
  if (init.failed && pod.spec?.restartPolicy === 'Never') return { ...base, startEphemeral, killPod: true };
  const kill = init.failed?.state === 'unknown' ? [unknownOf(init.failed, 'Init container')] : [];
  return { ...base, startEphemeral, kill, startInit: init.next };
}

/** Decides whether the newest sandbox can be used. */
function sandboxOf(pod: Pod, { sandboxes }: ObservedPod): Pick<PodActions, 'createSandbox' | 'attempt' | 'sandboxId'> {
  const [newest] = sandboxes;
  if (!newest) return { createSandbox: true, attempt: 0, sandboxId: undefined };
  const hostNetwork = pod.spec?.hostNetwork ?? false;
  const isUsable =
    newest.state === 'ready' &&
    sandboxes.filter(({ state }) => state === 'ready').length === 1 &&
    newest.hostNetwork === hostNetwork &&
    (hostNetwork || newest.ips.length > 0);
  return isUsable
    ? { createSandbox: false, attempt: newest.attempt, sandboxId: newest.id }
    : { createSandbox: true, attempt: newest.attempt + 1, sandboxId: newest.id };
}

/** A new sandbox means that everything is started anew, init containers too, unless all is over. */
function inNewSandbox(pod: Pod, observed: ObservedPod, attempt: number): Partial<PodActions> {
  const { restartPolicy = 'Always', initContainers = [], containers = [] } = pod.spec ?? {};
  const isOver = { killPod: true, createSandbox: false };
  if (restartPolicy === 'Never' && attempt !== 0 && observed.containers.length > 0) return isOver;
  const start = containers.filter(({ name = '' }) => {
    const run = latestRun(observed, name);
    return restartPolicy !== 'OnFailure' || run?.state !== 'exited' || run.exitCode !== 0;
  });
  if (start.length === 0 && initStep(pod, observed).isDone) return isOver;
  const [first] = initContainers;
  return first ? { killPod: true, startInit: first } : { killPod: true, start };
}

interface InitStep {
  readonly isDone: boolean;
  /** Init container to be started next; undefined while one runs. */
  readonly next?: Container;
  /** Last run of it, if that has failed. */
  readonly failed?: ObservedContainer;
}

function initStep({ spec = {} }: Pod, observed: ObservedPod): InitStep {
  const { initContainers = [], containers = [] } = spec;
  // Init containers may have been removed from the runtime since.
  const isPast = containers.some(({ name = '' }) => latestRun(observed, name)?.state === 'running');
  if (initContainers.length === 0 || isPast) return { isDone: true };
  for (let at = initContainers.length - 1; at >= 0; at--) {
    const next = initContainers[at];
    const failed = next && latestRun(observed, next.name ?? '');
    if (failed && isFailed(failed)) return { isDone: false, next, failed };
  }
  for (let at = initContainers.length - 1; at >= 0; at--) {
    const run = latestRun(observed, initContainers[at]?.name ?? '');
    if (run?.state === 'running') return { isDone: false };
    if (run?.state !== 'exited') continue;
    const next = initContainers[at + 1];
    return next ? { isDone: false, next } : { isDone: true };
  }
  const [first] = initContainers;
  return first ? { isDone: false, next: first } : { isDone: true };
}

const isFailed = ({ state, exitCode }: ObservedContainer): boolean =>
  (state === 'exited' && exitCode !== 0) || state === 'unknown';

function regularActions(pod: Pod, observed: ObservedPod, failedProbe: FailedProbe): Partial<PodActions> {
  const kill: KillAction[] = [];
  const start: Container[] = [];
  let kept = 0;
  for (const container of pod.spec?.containers ?? []) {
    const run = latestRun(observed, container.name ?? '');
    if (run?.state !== 'running') {
      if (!shouldStart(container.name ?? '', pod, observed)) continue;
      start.push(container);
      if (run?.state === 'unknown') kill.push(unknownOf(run, 'Container'));
      continue;
    }
    const action = killOf(pod, container, run, failedProbe);
    if (!action) kept++;
    else kill.push(action.kill);
    if (action?.isRestarted) start.push(container);
  }
  return { kill, start, killPod: kept === 0 && start.length === 0 };
}

const unknownOf = (run: ObservedContainer, what: string): KillAction => ({
  run,
  reason: 'unknown',
  message: `${what} is in "unknown" state, try killing it before restart`,
});

interface Killed {
  readonly kill: KillAction;
  readonly isRestarted: boolean;
}

function killOf(pod: Pod, container: Container, run: ObservedContainer, failedProbe: FailedProbe): Killed | undefined {
  const name = container.name ?? '';
  // Restarted whatever the policy says, as it is another container now.
  if (run.hash !== '' && run.hash !== specHash(container)) {
    const message = `Container ${name} definition changed, will be restarted`;
    return { kill: { run, reason: 'changed', message }, isRestarted: true };
  }
  const probe = failedProbe(run.fullId);
  if (!probe) return undefined;
  const isRestarted = pod.spec?.restartPolicy !== 'Never';
  const message = `Container ${name} failed ${probe.toLowerCase()} probe${isRestarted ? ', will be restarted' : ''}`;
  return { kill: { run, reason: probe === 'Liveness' ? 'liveness' : 'startup', message }, isRestarted };
}
