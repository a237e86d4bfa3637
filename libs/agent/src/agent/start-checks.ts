import { readFile, writeFile } from 'node:fs/promises';
import type { Logger } from '@orch/runtime';
import type { NodeAgentOptions } from '../options/agent-options.js';

/** Files of the machine that the checks read and write. */
interface MachineFiles {
  /** Returns the content of a file; undefined if it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** Replaces the content of a file. */
  write(path: string, text: string): Promise<void>;
}

const MACHINE: MachineFiles = {
  read: (path) => readFile(path, 'utf8').catch(() => undefined),
  write: (path, text) => writeFile(path, text),
};

/**
 * Checks that the agent can do on this machine what its options ask for.
 * @throws Error that names the option
 */
export async function checkMachine(options: NodeAgentOptions, logger: Logger, files = MACHINE): Promise<void> {
  await checkSwap(options, files);
  await checkDriver(options, files);
  await adjustScore(options, logger, files);
  if (options.hairpinMode !== 'promiscuous-bridge')
    logger.warn('--hairpin-mode has no effect: the network of pods is that of the runtime', {
      hairpinMode: options.hairpinMode,
    });
  if (options.containerRuntimeEndpoint.startsWith('process:'))
    logger.warn(
      'containers are processes of this machine, in its network: they are not isolated as those of a runtime',
    );
}

/** With swap, limits of memory do not mean what they say. */
async function checkSwap({ failSwapOn }: NodeAgentOptions, files: MachineFiles): Promise<void> {
  const [, ...swaps] = ((await files.read('/proc/swaps')) ?? '').trim().split('\n');
  if (failSwapOn && swaps.length > 0)
    throw new Error(
      `running with swap on is not supported, please disable swap or set --fail-swap-on to false; swaps: ${swaps.map((line) => line.split(/\s+/)[0]).join(', ')}`,
    );
}

async function checkDriver({ cgroupDriver, cgroupsPerQos }: NodeAgentOptions, files: MachineFiles): Promise<void> {
  if (cgroupDriver !== 'systemd' || !cgroupsPerQos) return;
  const first = ((await files.read('/proc/1/comm')) ?? '').trim();
  if (first !== 'systemd')
    throw new Error(`--cgroup-driver: systemd is not the init process of this machine (${first} is)`);
  throw new Error('--cgroup-driver: cgroups of systemd are not offered; use cgroupfs, or --cgroups-per-qos=false');
}

/** Lower scores than that of the parent need rights that the agent may not have. */
async function adjustScore({ oomScoreAdj }: NodeAgentOptions, logger: Logger, files: MachineFiles): Promise<void> {
  try {
    await files.write('/proc/self/oom_score_adj', String(oomScoreAdj));
  } catch (error) {
    logger.warn('the score by which the kernel kills the agent cannot be set', { oomScoreAdj, err: String(error) });
  }
}
