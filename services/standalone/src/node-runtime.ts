import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentComponent, nodeAgentOptions, nodeNameFor } from '@orch/agent-process';
import type { ServedApi } from '@orch/apiserver';
import { issueClientCertificate } from '@orch/authentication';
import type { Connection } from '@orch/client';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { type Component, type OptionValues, systemClock } from '@orch/runtime';
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
    help: 'File of a KubeletConfiguration for --node-runtime. Default: the cluster domain cluster.local, swap may be on.',
  },
} as const;

/** Folders of a node, and what it is told of the API. */
interface NodeSettings extends OptionValues<typeof nodeRuntimeOptions> {
  /** Naming profile of the API. */
  readonly naming: NamingProfile;
  /** Folder of certificates and keys of the process. */
  readonly certDir: string;
  /** Folder of all data of the process. */
  readonly dataDir: string;
}

/** Milliseconds that the client certificate of the node lives; each start of the process makes another. */
const LIFETIME_MS = 365 * 86_400_000;
/** Folders in which control groups are made, in version 1 and version 2 of them. */
const CGROUP_FOLDERS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** Returns the node agent of this machine; nothing where no pods are to run on it. @param api the API beside it */
export function nodeRuntime(settings: NodeSettings, api: ServedApi): Component[] {
  if (settings.nodeRuntime === 'none') return [];
  let agent: Component | undefined;
  const start = async () => {
    agent = await agentOf(settings, api);
    await agent.start();
  };
  return [{ name: 'node agent', start, stop: async (deadline) => agent?.stop(deadline) }];
}

async function agentOf(settings: NodeSettings, api: ServedApi): Promise<Component> {
  const { naming, dataDir } = settings;
  const images = join(dataDir, 'images');
  await mkdir(images, { recursive: true, mode: 0o700 });
  if ((await makeImage(DEMO_IMAGE, images)) !== undefined)
    api.logger.info('an image to try: kubectl run web --image=IMAGE', { image: DEMO_IMAGE.name });
  const names = namesOf(naming);
  const { values: options } = nodeAgentOptions.parse(argumentsOf(settings, images), {});
  const connection = await connectionOf(nodeNameFor(options), settings.certDir, api);
  return agentComponent({ options, connection, logger: api.logger, names });
}

/** Returns the arguments of the agent; without a configuration file, they suit a machine that is used for other things, too. */
function argumentsOf(settings: NodeSettings, images: string): string[] {
  const { nodeRuntime: runtime, nodeConfig, naming, certDir, dataDir } = settings;
  return [
    ...[`--naming=${naming}`, `--root-dir=${join(dataDir, 'node')}`, `--client-ca-file=${join(certDir, 'ca.crt')}`],
    ...['--anonymous-auth=false', '--authentication-token-webhook', '--authorization-mode=Webhook'],
    ...(runtime === 'process' ? [`--process-images=${images}`] : []),
    `--container-runtime-endpoint=${ENDPOINTS.get(runtime) ?? runtime}`,
    ...(nodeConfig === undefined ? defaultsOf() : [`--config=${nodeConfig}`]),
  ];
}

function defaultsOf(): string[] {
  return [
    ...['--fail-swap-on=false', '--cluster-domain=cluster.local'],
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

/** The node is what NodeRestriction and the node authorizer know it as, and has no other rights. */
async function connectionOf(name: string, certDir: string, api: ServedApi): Promise<Connection> {
  const [cert, key] = await Promise.all(['ca.crt', 'ca.key'].map((file) => readFile(join(certDir, file), 'utf8')));
  const user = { name: `system:node:${name}`, groups: ['system:nodes'] };
  const pair = await issueClientCertificate(
    { cert: cert ?? '', key: key ?? '' },
    user,
    LIFETIME_MS,
    systemClock.wall(),
  );
  const ca = api.authority();
  return { server: api.url(), ...(ca !== undefined && { ca }), ...pair };
}
