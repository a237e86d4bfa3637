import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentComponent, nodeAgentOptions, nodeNameFor } from '@orch/agent-process';
import type { ServedApi } from '@orch/apiserver';
import { type NamingProfile, namesOf } from '@orch/machinery';
import type { Component, OptionValues } from '@orch/runtime';
import { connectionOf } from './connection.js';
import { makeDemoImage } from './demo-image.js';

/** Options of the node that this machine is. */
export const nodeRuntimeOptions = {
  'node-runtime': {
    type: 'string',
    choices: ['none', 'process', 'containerd'],
    default: 'none',
    help: 'Runs pods on this machine: as processes of it, or as containers of containerd; none runs no pods. The machine becomes a node.',
  },
  'node-config': {
    type: 'string',
    help: 'File of a KubeletConfiguration for --node-runtime. Default: the cluster domain cluster.local, swap may be on.',
  },
} as const;

/** Folders of a node, and what it is told of the API. */
interface NodeSettings {
  /** Values of {@link nodeRuntimeOptions}. */
  readonly options: OptionValues<typeof nodeRuntimeOptions>;
  /** Naming profile of the API. */
  readonly naming: NamingProfile;
  /** Folder of certificates and keys of the process. */
  readonly certDir: string;
  /** Folder of all data of the process. */
  readonly dataDir: string;
}

/** Folders in which control groups are made, in version 1 and version 2 of them. */
const CGROUP_FOLDERS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** Returns the node agent of this machine; undefined where no pods are to run on it. @param api the API beside it */
export function nodeRuntime(settings: NodeSettings, api: ServedApi): Component | undefined {
  if (settings.options.nodeRuntime === 'none') return undefined;
  let agent: Component | undefined;
  return {
    name: 'node agent',
    async start() {
      agent = await agentOf(settings, api);
      await agent.start();
    },
    stop: async (deadline) => agent?.stop(deadline),
  };
}

async function agentOf(settings: NodeSettings, api: ServedApi): Promise<Component> {
  const { naming, dataDir } = settings;
  const images = join(dataDir, 'images');
  await mkdir(images, { recursive: true, mode: 0o700 });
  const image = await makeDemoImage(images);
  if (image) api.logger.info('an image to try: kubectl run web --image=IMAGE', { image });
  const names = namesOf(naming);
  const { values: options } = nodeAgentOptions.parse(argumentsOf(settings, images), {});
  // The node is what NodeRestriction and the node authorizer know it as, and has no other rights.
  const user = { name: `system:node:${nodeNameFor(options)}`, groups: ['system:nodes'] };
  const connection = await connectionOf(user, settings.certDir, api);
  return agentComponent({ options, connection, logger: api.logger, names });
}

/** Without a configuration file, what suits a machine that is used for other things, too. */
function argumentsOf({ options, naming, certDir, dataDir }: NodeSettings, images: string): string[] {
  const { nodeRuntime: runtime, nodeConfig } = options;
  return [
    ...[`--naming=${naming}`, `--root-dir=${join(dataDir, 'node')}`, `--client-ca-file=${join(certDir, 'ca.crt')}`],
    ...['--anonymous-auth=false', '--authentication-token-webhook', '--authorization-mode=Webhook'],
    ...(runtime === 'process' ? ['--container-runtime-endpoint=process:', `--process-images=${images}`] : []),
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
