import { groupOf } from './results.js';

/** Groups whose cases show what the scheduler and the agent of a node do. */
const GROUPS: ReadonlySet<string> = new Set(['network', 'node', 'scheduling', 'storage']);

/** Why cases are not run here, and how their names are recognized; the first that matches counts. */
const LEFT_OUT: readonly (readonly [reason: string, names: RegExp])[] = [
  ['for Windows', /Windows|\[Testpattern: [^\]]*ntfs/],
  ['a driver of CSI', /CSI|csi-|\[Testpattern: (?:Dynamic|Generic|Pre-provisioned Snapshot)/],
  ['storage of a network or a cloud', /\[Driver: (?!hostPath|emptydir|local)/],
  [
    'storage of a network or a cloud',
    /GCE|GCEPD|AWS|vSphere|vsphere|gce|NFS|nfs|iSCSI|Regional PD|Pod Disks|Multi-AZ|StorageProvider/,
  ],
  [
    'storage that is provisioned',
    /Dynamic Provisioning|DynamicProvisioner|Volume metrics|Default StorageClass|PVC Protection|volume-?limits/,
  ],
  ['Flexvolumes, or an SSD of a cloud', /Flexvolume|flexvolume|gce-localssd/],
  ['a run of their own: all patterns of use of volumes that are folders or disks of the node', /In-tree Volumes/],
  ['volumes that grow while they are mounted', /expansion/],
  ['images that the registry of the run does not have', /ClusterDns \[Feature:Example/],
  ['a network that enforces policies', /NetworkPolicy|Netpol/],
  ['a cloud with load balancers', /LoadBalancer|Loadbalancing|Firewall|\[Feature:kubemci|NEG/],
  ['IPv6 or SCTP', /IPv6|SCTP/],
  ['the Internet', /Internet|private registry|image from invalid registry|NoSNAT/],
  [
    'DNS, a problem detector or tools that are pods of the cluster',
    /DNS configMap|PerformanceDNS|NodeProblemDetector|crictl|KubeProxyDaemonSet/,
  ],
  ['several nodes', /Topology Hints|MaxSkew|\[Feature:NodeOutOfServiceVolumeDetach/],
  [
    'what is alpha in 1.27, or AppArmor or a GPU',
    /Alpha|DynamicResourceAllocation|DRA|AppArmor|apparmor|GPU|InPlacePodVerticalScaling|UserNamespaces|NodeLogQuery|Checkpoint/,
  ],
  ['a machine that is restarted, or SSH', /kubelet restart|after restarting|\[Feature:vsphere|SSH/],
  [
    'half an hour each, or flaky by its own words',
    /Flaky|resource tracking|1000 pods|cap back-off|IPerf2|git_repo|EmptyDir wrapper|wrapper volumes/,
  ],
];
/** Cases beyond conformance that one node without clouds and drivers can be asked, and how many are left out for which reason. */
export interface FurtherCases {
  readonly names: readonly string[];
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Chooses from the names of all cases of the suite. */
export function furtherCases(all: readonly string[]): FurtherCases {
  const [names, leftOut]: [string[], Record<string, number>] = [[], {}];
  for (const name of all) {
    if (!GROUPS.has(groupOf(name)) || name.includes('[Conformance]')) continue;
    const reason = reasonOf(name);
    if (reason === undefined) names.push(name);
    else leftOut[reason] = (leftOut[reason] ?? 0) + 1;
  }
  return { names, leftOut };
}

/** All patterns of use of volumes that one node has without clouds and drivers. */
export function volumeCases(all: readonly string[]): FurtherCases {
  const chosen = all.filter((name) => VOLUMES.test(name) && !PROVISIONED.test(name));
  const names = chosen.filter((name) => !name.includes('[Disruptive]'));
  const stopping = chosen.length - names.length;
  return { names, leftOut: stopping === 0 ? {} : { 'an agent that is stopped over SSH': stopping } };
}

const VOLUMES = /In-tree Volumes \[Driver: (?:hostPath|emptydir|local)(?!.*gce-localssd)/;
/** Windows has one of these file systems; a driver of CSI makes the rest. */
const PROVISIONED = /\[Testpattern: (?:[^\]]*ntfs|Dynamic|Generic|Pre-provisioned Snapshot)/;

const reasonOf = (name: string): string | undefined => LEFT_OUT.find(([, names]) => names.test(name))?.[0];
