import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedApi } from '@orch/apiserver';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { type Component, Metrics, type OptionValues } from '@orch/runtime';
import { connectionOf } from './connection.js';
import { DEMO_IMAGE, makeImage } from './made-images.js';

/** Runtimes that have a name. */
const ENDPOINTS: ReadonlyMap<string, string> = new Map([
  ['process', 'process:'],
  ['containerd', 'unix:///run/containerd/containerd.sock'],
]);

/** Checks the name or address of a runtime. @throws Error */
function checkRuntime(text: string): void {
  if (text !== 'none' && !ENDPOINTS.has(text) && !/^unix:\/\/\/./.test(text))
    throw new Error('must be none, process, containerd, or unix:///path');
}

/** Options of the node that this machine is. */
export const nodeRuntimeOptions = {
  'node-runtime': {
    type: 'string',
    default: 'none',
    check: checkRuntime,
    help: 'What runs pods on this machine, which becomes a node: process (they are processes of it), containerd, or unix:///path of a socket that speaks CRI v1; none runs no pods.',
  },
  'node-config': {
    type: 'string',
    help: 'File of a KubeletConfiguration for --node-runtime. Default: the cluster domain cluster.local, swap may be on, pods are evicted below 100 MiB of memory or 1 GiB of disk, images stay.',
  },
} as const;

/** Taints new nodes until a controller finds them ready. */
const TAINTS_NEW_NODES = 'TaintNodesByCondition';

/** Options of admission, and of the node. */
interface AdmittedNode {
  readonly nodeRuntime: string;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
}

/**
 * Returns the admission plugins that are off. Where this machine is a node, nothing may taint it when it registers, unless that is asked
 * for: no controller of this process would remove the taint, and no pod would be scheduled.
 */
export function disabledPlugins({
  nodeRuntime,
  enableAdmissionPlugins,
  disableAdmissionPlugins,
}: AdmittedNode): string[] {
  const mayTaint = nodeRuntime === 'none' || enableAdmissionPlugins.includes(TAINTS_NEW_NODES);
  return mayTaint ? [...disableAdmissionPlugins] : [...new Set([...disableAdmissionPlugins, TAINTS_NEW_NODES])];
}

/**
 * Returns the types of node addresses in the order in which they are tried. Where this machine is a node, its address comes first: its
 * host name often means a loopback address here, to which requests are not proxied.
 */
export function addressTypes(options: {
  nodeRuntime: string;
  kubeletPreferredAddressTypes: readonly string[];
}): string[] {
  const { nodeRuntime, kubeletPreferredAddressTypes: types } = options;
  const isFirst = (type: string) => nodeRuntime !== 'none' && type === 'InternalIP';
  return [...types.filter(isFirst), ...types.filter((type) => !isFirst(type))];
}

/** Folders of a node, and what it is told of the API. */
interface NodeSettings extends OptionValues<typeof nodeRuntimeOptions> {
  /** Naming profile of the API. */
  readonly naming: NamingProfile;
  /** Folder of certificates and keys of the process. */
  readonly certDir: string;
  /** Folder of all data of the process. */
  readonly dataDir: string;
}

/** Thresholds of eviction: disks of such machines are rather full, and images that were made here cannot be pulled again. */
const EVICTION = 'memory.available<100Mi,nodefs.available<1Gi,imagefs.available<1Gi';
/** Folders in which control groups are made, in version 1 and version 2 of them. */
const CGROUP_FOLDERS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/**
 * Reads the configuration of the node that this machine is, and returns what makes its agent beside the API; it makes nothing where no pods
 * are to run here. @throws Error for a configuration that cannot be read or used
 */
export async function nodeOf(settings: NodeSettings): Promise<(api: ServedApi) => Component[]> {
  if (settings.nodeRuntime === 'none') return () => [];
  // A process without a node does not load its agent.
  const { agentComponent, nodeAgentOptions, nodeNameFor } = await import('@orch/agent-process');
  const { naming, certDir, dataDir } = settings;
  const images = join(dataDir, 'images');
  const { values: options } = nodeAgentOptions.parse(argumentsOf(settings, images), {});
  // The node is what NodeRestriction and the node authorizer know it as, and has no other rights.
  const user = { name: `system:node:${nodeNameFor(options)}`, groups: ['system:nodes'] };
  const agentFor = async (api: ServedApi) => {
    await makeImages(images, api);
    const { connection, stop } = await connectionOf(user, certDir, api);
    const node = { podLogs: join(dataDir, 'node', 'logs'), names: namesOf(naming) };
    const agent = agentComponent({ ...node, options, connection, logger: api.logger, metrics: new Metrics() });
    return { ...agent, stop: (deadline: AbortSignal) => stop().then(() => agent.stop(deadline)) };
  };
  return (api) => [componentOf(() => agentFor(api))];
}

function componentOf(agentFor: () => Promise<Component>): Component {
  let agent: Component | undefined;
  const start = async () => {
    agent = await agentFor();
    await agent.start();
  };
  return { name: 'node agent', start, stop: async (deadline) => agent?.stop(deadline) };
}

async function makeImages(folder: string, { logger }: ServedApi): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await makeImage(DEMO_IMAGE, folder)) !== undefined)
    logger.info('an image to try: kubectl run web --image=IMAGE', { image: DEMO_IMAGE.name });
}

/** Returns the arguments of the agent; without a configuration file, they suit a machine that is used for other things, too. */
function argumentsOf(settings: NodeSettings, images: string): string[] {
  const { nodeRuntime: runtime, nodeConfig, naming, certDir, dataDir } = settings;
  return [
    ...[
      `--naming=${naming}`,
      `--root-dir=${join(dataDir, 'node')}`,
      `--cert-dir=${join(dataDir, 'node', 'pki')}`,
      `--client-ca-file=${join(certDir, 'ca.crt')}`,
    ],
    ...['--anonymous-auth=false', '--authentication-token-webhook', '--authorization-mode=Webhook'],
    ...(runtime === 'process' ? [`--process-images=${images}`] : []),
    `--container-runtime-endpoint=${ENDPOINTS.get(runtime) ?? runtime}`,
    ...(nodeConfig === undefined ? defaultsOf() : [`--config=${nodeConfig}`]),
  ];
}

function defaultsOf(): string[] {
  return [
    ...['--fail-swap-on=false', '--cluster-domain=cluster.local', '--image-gc-high-threshold=100', '--oom-score-adj=0'],
    // Nothing beside this process would use the chains.
    ...['--make-iptables-util-chains=false', `--eviction-hard=${EVICTION}`],
    ...(mayMakeGroups() ? [] : ['--cgroups-per-qos=false', '--enforce-node-allocatable=none']),
  ];
}

function mayMakeGroups(): boolean {
  const folder = CGROUP_FOLDERS.find((each) => existsSync(each));
  if (folder === undefined) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
