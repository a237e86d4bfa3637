import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './logging/logger.js';

type TerminationSignal = 'SIGTERM' | 'SIGINT';
const SIGNALS: readonly TerminationSignal[] = ['SIGTERM', 'SIGINT'];

/** The part of `process` that is used. */
export interface ProcessControl {
  /** Adds a signal handler, which replaces the default of ending at once. */
  on(signal: TerminationSignal, listener: () => void): unknown;
  /** Removes a signal handler. */
  off(signal: TerminationSignal, listener: () => void): unknown;
  /** Ends the process at once, whatever is in progress. */
  exit(code: number): unknown;
}

/**
 * Starts the lifecycle and waits until it has stopped: by SIGTERM or SIGINT, or because a component failed. A second
 * signal exits at once with code 1. `onReady` runs when everything has been started, `onStopped` when everything has
 * been stopped. Resolves with the exit code: 0, or 1 when anything failed; after a shutdown that has left a starting
 * component behind the process exits here, as that component may keep it alive.
 */
export async function runToCompletion(
  lifecycle: Lifecycle,
  logger: Logger,
  onReady: () => void = () => {},
  control: ProcessControl = process,
  onStopped: () => Promise<void> = async () => {},
): Promise<number> {
  const onSignal = () => {
    if (lifecycle.stopping.aborted) {
      logger.warn('second signal, exiting at once');
      control.exit(1);
      return;
    }
    logger.info('shutting down');
    void lifecycle.stop();
  };
  for (const signal of SIGNALS) control.on(signal, onSignal);
  // Clock timers do not keep the process alive, but a shutdown must complete even when nothing else does.
  const hold = setInterval(() => {}, 60_000);
  try {
    const code = await runUntilStopped(lifecycle, logger, onReady);
    await onStopped();
    if (lifecycle.leftStart.aborted) control.exit(code);
    return code;
  } catch (error) {
    logger.error('the process did not shut down cleanly', error);
    return 1;
  } finally {
    clearInterval(hold);
    for (const signal of SIGNALS) control.off(signal, onSignal);
  }
}

/** Resolves with the exit code, which is 1 also after a failed start. */
async function runUntilStopped(lifecycle: Lifecycle, logger: Logger, onReady: () => void): Promise<number> {
  try {
    await lifecycle.start();
    if (!lifecycle.stopping.aborted) {
      onReady();
      await new Promise<void>((resolve) => {
        if (lifecycle.stopping.aborted) resolve();
        else lifecycle.stopping.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  } catch (error) {
    logger.error('start failed', error);
    return 1;
  }
  return (await lifecycle.stop()).length === 0 ? 0 : 1;
}
