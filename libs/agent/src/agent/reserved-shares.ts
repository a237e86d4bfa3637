import { parseCpuSet } from '@orch/node-resources';
import { amountsOf, parseThresholds, type ReservedShares } from '@orch/pod-environment';
import type { NodeAgentOptions } from '../options/agent-options.js';

type ReservedOptions = Pick<NodeAgentOptions, 'kubeReserved' | 'systemReserved' | 'evictionHard' | 'reservedCpus'>;

/** Returns the shares of the machine that pods cannot have. CPUs that are named count instead of amounts. */
export function reservedShares(options: ReservedOptions): ReservedShares {
  const { kubeReserved: agent, systemReserved: system, evictionHard, reservedCpus } = options;
  const thresholds = parseThresholds(evictionHard);
  if (reservedCpus === '') return { agent, system, thresholds };
  const withoutCpu = [...agent].filter(([resource]) => resource !== 'cpu');
  const cpus = String(parseCpuSet(reservedCpus).size);
  return { agent: new Map(withoutCpu), system: new Map([...system, ['cpu', cpus]]), thresholds };
}

/** Returns thousandths of CPUs that are reserved for the agent and the system. */
export const reservedMilliCpus = ({ agent, system }: ReservedShares): bigint =>
  [agent, system].reduce((sum, shares) => sum + (amountsOf(Object.fromEntries(shares)).get('cpu') ?? 0n), 0n);
