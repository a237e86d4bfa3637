import { join } from 'node:path';
import { EXECUTABLE } from '../../tools/up/index.js';
import { put, SERVER_ADDRESS } from './place.js';

/** Who runs pods on a node: the kubelet of the release, or `orch node-agent`. */
export type AgentName = 'reference' | 'orch';

/** What the agent of a node is told. */
export interface AgentSettings {
  readonly name: string;
  readonly address: string;
  /** Folder of the node, for its configuration and certificates. */
  readonly dir: string;
  /** The control group below which those of pods are made. */
  readonly controlGroup: string;
  /** Path of the runtime's socket. */
  readonly socket: string;
  readonly kubeconfig: string;
  /** Authority of the client certificates of callers. */
  readonly clientAuthority: string;
  /** What pods without names of the cluster get as their resolver's configuration. */
  readonly resolvConf: string;
}

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** How an agent is started. Both take the same configuration but for what the other lacks. */
export function agentCommand(who: AgentName, settings: AgentSettings, kubelet: string): Command {
  const { name, address, dir, kubeconfig, socket } = settings;
  const own = who === 'orch' ? {} : { volumePluginDir: join(dir, 'plugins'), readOnlyPort: 0 };
  const configuration = put(join(dir, 'kubelet.json'), JSON.stringify({ ...configurationOf(settings), ...own }));
  const args = [
    ...[`--config=${configuration}`, `--kubeconfig=${kubeconfig}`, `--hostname-override=${name}`],
    ...[`--node-ip=${address}`, `--cert-dir=${join(dir, 'certificates')}`],
    `--container-runtime-endpoint=unix://${socket}`,
  ];
  if (who === 'reference') return { command: kubelet, args };
  // Cases, and pods that mount folders of the node, know the folder of the kubelet by its name.
  const further = ['--naming=kubernetes', '--root-dir=/var/lib/kubelet'];
  const command = [process.execPath, EXECUTABLE, 'node-agent', ...further, ...args];
  // A case looks for the process of that name, to see the mounts that it sees.
  return { command: 'bash', args: ['-c', 'exec -a kubelet "$0" "$@"', ...command] };
}

/** A KubeletConfiguration. */
const configurationOf = ({ address, clientAuthority, controlGroup, resolvConf }: AgentSettings): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: clientAuthority },
  },
  authorization: { mode: 'Webhook' },
  cgroupRoot: controlGroup,
  cgroupDriver: 'cgroupfs',
  failSwapOn: false,
  address,
  healthzBindAddress: address,
  clusterDNS: [SERVER_ADDRESS],
  clusterDomain: 'cluster.local',
  resolvConf,
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  oomScoreAdj: 0,
  // One machine is all nodes, and cases wait for pods.
  ...{ serializeImagePulls: false, registryPullQPS: 0, eventRecordQPS: 0, kubeAPIQPS: 50, kubeAPIBurst: 100 },
  // Changed Secrets arrive at pods with it; a minute by default.
  syncFrequency: '10s',
});
