import { createLogger, type ProcessControl, runToCompletion, ServiceManager } from '@orch/runtime';
import { createControlPlane } from './control-plane.js';
import type { ControlPlaneSettings } from './control-plane-settings.js';
import { checkSettings } from './settings-check.js';
import { shellWord } from './shell-word.js';

/** The processes that serve together. */
interface WorkerSettings {
  readonly workers: number;
  /** Milliseconds without a sign of life after which one is killed; 0 is never. */
  readonly workerTimeout: number;
}

const ALONE: WorkerSettings = { workers: 1, workerTimeout: 0 };

/**
 * Runs a process to its end; prints how to reach it once it is ready. Resolves with the exit code.
 * With several workers the process serves nothing itself, but sees to so many of its kind that share its ports.
 * @throws Error for options that cannot be used, before anything is started
 */
export async function runService(
  settings: ControlPlaneSettings,
  { workers, workerTimeout }: WorkerSettings = ALONE,
): Promise<number> {
  if (workers === 1) {
    await checkSettings(settings);
    return run(settings, print, takeManager(settings));
  }
  const { isParent, superviseWorkers, WorkerLink } = await import('../workers/run-workers.js');
  if (isParent()) {
    await checkSettings(settings);
    return superviseWorkers(workers, workerTimeout, loggerOf(settings), takeManager(settings));
  }
  const link = new WorkerLink();
  const shared = { ...settings, metricsPage: (own: Parameters<typeof link.shared>[0]) => link.shared(own) };
  const code = await run(shared, (lines) => link.ready(lines), undefined, link.signals);
  link.close();
  return code;
}

function run(
  settings: ControlPlaneSettings,
  onReady: (lines: string[]) => void,
  manager: ServiceManager | undefined,
  control?: ProcessControl,
) {
  const { lifecycle, logger, address, isReady } = createControlPlane(settings);
  lifecycle.stopping.addEventListener('abort', () => void manager?.stopping());
  const ready = () => {
    const { url, kubeconfig } = address();
    onReady([`serving on ${url}`, ...(kubeconfig === undefined ? [] : [`export KUBECONFIG=${shellWord(kubeconfig)}`])]);
    void manager?.readyOnce(isReady, `Serving on ${url}`, lifecycle.stopping);
  };
  return runToCompletion(lifecycle, logger, ready, control, settings.releaseStore);
}

/** Returns the service manager that has started this process, notified of the start; undefined where there is none. */
function takeManager(settings: ControlPlaneSettings): ServiceManager | undefined {
  const manager = ServiceManager.take(process.env, { logger: loggerOf(settings) });
  void manager?.status('Starting');
  return manager;
}

const loggerOf = ({ serving: { loggingFormat: format, v: verbosity } }: ControlPlaneSettings) =>
  createLogger({ format, verbosity });

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
