import { namesOf } from '@orch/machinery';
import { defineOptions, type OptionDefinitions, type OptionValues } from '@orch/runtime';
import { nodeOptions } from './node-options.js';
import { podOptions } from './pod-options.js';
import { resourceOptions } from './resource-options.js';
import { runtimeOptions } from './runtime-options.js';
import { serverOptions } from './server-options.js';

/** Definitions of all options of the node agent (spec: "Node agent option defaults"). */
export const agentDefinitions = {
  ...serverOptions,
  ...podOptions,
  ...runtimeOptions,
  ...nodeOptions,
  ...resourceOptions,
} as const satisfies OptionDefinitions;

/** Values of all options of the node agent. */
export type NodeAgentOptions = OptionValues<typeof agentDefinitions>;

const DEFAULT_PROTOBUF = agentDefinitions['kube-api-content-type'].default;

/** The options with the checks of their combinations. */
export const agentOptions = defineOptions(agentDefinitions, problemsOf);

function problemsOf(values: NodeAgentOptions): string[] {
  return [...filesProblems(values), ...cgroupProblems(values), ...imageProblems(values), ...evictionProblems(values)];
}

function filesProblems({ tlsCertFile, tlsPrivateKeyFile, nodeIp, ...rest }: NodeAgentOptions): string[] {
  const problems: string[] = contentTypeProblems(rest);
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    problems.push('--tls-cert-file and --tls-private-key-file need each other');
  const families = new Set(nodeIp.map((ip) => ip.includes(':')));
  if (families.size < nodeIp.length) problems.push('--node-ip: at most one address of each family');
  return problems;
}

/** The default is the protobuf of any naming; that of the other one is no form of this API. */
function contentTypeProblems({
  kubeApiContentType,
  naming,
}: Pick<NodeAgentOptions, 'kubeApiContentType' | 'naming'>): string[] {
  const known = ['application/json', DEFAULT_PROTOBUF, namesOf(naming).protobufMediaType];
  return known.includes(kubeApiContentType)
    ? []
    : [`--kube-api-content-type ${kubeApiContentType} does not fit --naming=${naming}`];
}

function cgroupProblems(options: NodeAgentOptions): string[] {
  const { enforceNodeAllocatable: enforced, cgroupsPerQos, kubeReservedCgroup, systemReservedCgroup } = options;
  const problems: string[] = [];
  if (enforced.includes('kube-reserved') && kubeReservedCgroup === '')
    problems.push('--kube-reserved-cgroup must be specified when --enforce-node-allocatable contains kube-reserved');
  if (enforced.includes('system-reserved') && systemReservedCgroup === '')
    problems.push(
      '--system-reserved-cgroup must be specified when --enforce-node-allocatable contains system-reserved',
    );
  if (options.reservedCpus !== '' && (kubeReservedCgroup !== '' || systemReservedCgroup !== ''))
    problems.push("--reserved-cpus can't be used with --kube-reserved-cgroup or --system-reserved-cgroup");
  if (enforced.includes('none') && enforced.length > 1)
    problems.push('--enforce-node-allocatable may not contain additional enforcements when "none" is specified');
  if (!cgroupsPerQos && enforced.some((name) => name !== 'none'))
    problems.push('--enforce-node-allocatable is not supported unless --cgroups-per-qos is set to true');
  return problems;
}

function imageProblems({ imageGcHighThreshold: high, imageGcLowThreshold: low }: NodeAgentOptions): string[] {
  return low <= high ? [] : [`--image-gc-low-threshold ${low} must not be above --image-gc-high-threshold ${high}`];
}

function evictionProblems({ evictionSoft, evictionSoftGracePeriod }: NodeAgentOptions): string[] {
  return evictionSoft
    .map((text) => text.split('<')[0] ?? '')
    .filter((signal) => !evictionSoftGracePeriod.has(signal))
    .map((signal) => `grace period must be specified for the soft eviction threshold ${signal}`);
}
