import { checkAddresses, checkHeaders } from './checks.js';

/** Options of the sources of pods, and of the containers that the agent runs. */
export const podOptions = {
  'pod-manifest-path': { type: 'string', help: 'Folder of static pods, or the file of one.' },
  'file-check-frequency': {
    type: 'duration',
    default: 20_000,
    min: 1,
    help: 'Interval at which --pod-manifest-path is read though no change was noticed.',
  },
  'manifest-url': { type: 'string', help: 'URL of static pods: a Pod or a PodList.' },
  'manifest-url-header': {
    type: 'list',
    whole: true,
    check: checkHeaders,
    help: 'Header of requests to --manifest-url: name:value. May be used several times.',
  },
  'http-check-frequency': {
    type: 'duration',
    default: 20_000,
    min: 1,
    help: 'Interval of requests to --manifest-url.',
  },
  'sync-frequency': {
    type: 'duration',
    default: 60_000,
    min: 1,
    help: 'Interval at which each pod is compared with what runs though nothing has changed.',
  },
  'container-log-max-files': { type: 'int', default: 5, min: 2, help: 'Log files that are kept of a container.' },
  'container-log-max-size': { type: 'bytes', default: 10 * 2 ** 20, min: 1, help: 'Size at which a log is rotated.' },
  'pod-logs-dir': { type: 'string', default: '/var/log/pods', help: 'Folder of the logs of pods.' },
  'container-log-links': {
    type: 'string',
    help: 'Folder of links to the logs of containers, for programs that collect them; empty for none. Default: /var/log/containers, and none where the logs are not in /var/log/pods.',
  },
  'cluster-dns': {
    type: 'list',
    check: checkAddresses,
    help: 'Addresses of DNS servers of the cluster, for pods with the DNS policy ClusterFirst.',
  },
  'cluster-domain': { type: 'string', default: '', help: 'Domain of the cluster, which pods search.' },
  'resolv-conf': {
    type: 'string',
    default: '/etc/resolv.conf',
    help: 'Resolver configuration that pods with the DNS policy Default get; empty for none.',
  },
  'registry-qps': { type: 'int', default: 5, min: 0, help: 'Pulls of images per second; 0 for no limit.' },
  'registry-burst': { type: 'int', default: 10, min: 0, help: 'Pulls of images that may begin at once.' },
  'serialize-image-pulls': { type: 'bool', default: true, help: 'Whether images are pulled one at a time.' },
  'image-gc-high-threshold': {
    type: 'int',
    default: 85,
    min: 0,
    max: 100,
    unit: 'percent',
    help: 'Disk usage above which unused images are removed; 100 for never.',
  },
  'image-gc-low-threshold': {
    type: 'int',
    default: 80,
    min: 0,
    max: 100,
    unit: 'percent',
    help: 'Disk usage down to which unused images are removed.',
  },
  'minimum-image-ttl-duration': {
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'Age that an unused image has to reach before it is removed.',
  },
  'maximum-dead-containers': {
    type: 'int',
    default: -1,
    help: 'Ended containers that are kept on the node; negative for no limit.',
  },
  'maximum-dead-containers-per-container': {
    type: 'int',
    default: 1,
    help: 'Ended runs that are kept of a container; negative for no limit.',
  },
  'make-iptables-util-chains': {
    type: 'bool',
    default: true,
    help: 'Whether the rules of iptables are made that other programs of the cluster use.',
  },
  'iptables-drop-bit': { type: 'int', default: 15, min: 0, max: 31, help: 'Bit of the mark of packets to drop.' },
  'iptables-masquerade-bit': {
    type: 'int',
    default: 14,
    min: 0,
    max: 31,
    help: 'Bit of the mark of packets whose source address is replaced.',
  },
  'hairpin-mode': {
    type: 'string',
    choices: ['promiscuous-bridge', 'hairpin-veth', 'none'],
    default: 'promiscuous-bridge',
    help: 'How a pod reaches itself by the address of its Service. The network plugin of the runtime decides.',
  },
} as const;
