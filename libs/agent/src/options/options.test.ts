import { parseThresholds } from '@orch/pod-environment';
import { OptionsError } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { agentOptions } from './agent-options.js';
import { CONFIGURATION_FIELDS } from './configuration-fields.js';
import { readAgentOptions } from './read-configuration.js';
import { writtenConfiguration } from './written-configuration.js';

const parse = (...argv: string[]) => agentOptions.parse(argv).values;

function problems(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration that is told', () => {
  it('is read as it was', () => {
    const args = [
      ...[
        '--max-pods=7',
        '--cpu-cfs-quota-period=50ms',
        '--register-with-taints=a=b:NoSchedule',
        '--cluster-dns=10.0.0.10',
      ],
      ...['--manifest-url=http://a', '--manifest-url-header=a:b', '--manifest-url-header=a:c', '--kube-reserved=cpu=1'],
      ...['--eviction-soft=memory.available<1Gi', '--eviction-soft-grace-period=memory.available=1m', '--v=3'],
    ];
    const { config: _file, ...values } = readAgentOptions(args, {}, () => '').values;
    const written = JSON.stringify({
      ...{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
      ...writtenConfiguration(readAgentOptions(args, {}, () => '').values),
    });
    const { config: _other, ...again } = readAgentOptions(['--config=a'], {}, () => written).values;
    expect(again).toEqual(values);
    const unset = writtenConfiguration(parse());
    const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    const { config: _path, ...unchanged } = readAgentOptions(['--config=a'], {}, () =>
      JSON.stringify({ ...head, ...unset }),
    ).values;
    const { config: _none, ...presets } = parse();
    expect(unchanged).toEqual(presets);
    expect(written).toContain('"cpuCFSQuotaPeriod":"50ms"');
  });
});

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const read = (file: string, argv: string[] = [], env = {}) =>
  readAgentOptions(['--config=/etc/agent.yaml', ...argv], env, () => HEAD + file).values;

describe('the options of the agent', () => {
  it('have the defaults of the specification', () => {
    expect(parse()).toMatchObject({
      address: '0.0.0.0',
      port: 10_250,
      healthzPort: 10_248,
      healthzBindAddress: '127.0.0.1',
      fileCheckFrequency: 20_000,
      httpCheckFrequency: 20_000,
      maxPods: 110,
      podMaxPids: -1,
      containerLogMaxFiles: 5,
      containerLogMaxSize: 10 * 1024 * 1024,
      nodeStatusUpdateFrequency: 10_000,
      nodeStatusMaxImages: 50,
      maxOpenFiles: 1_000_000,
      cgroupDriver: 'cgroupfs',
      cpuManagerPolicy: 'none',
      memoryManagerPolicy: 'None',
      cpuCfsQuota: true,
      cpuCfsQuotaPeriod: 100,
      enforceNodeAllocatable: ['pods'],
      evictionPressureTransitionPeriod: 300_000,
      imageGcHighThreshold: 85,
      imageGcLowThreshold: 80,
      minimumImageTtlDuration: 120_000,
      maximumDeadContainers: -1,
      maximumDeadContainersPerContainer: 1,
      failSwapOn: true,
      oomScoreAdj: -999,
      iptablesDropBit: 15,
      iptablesMasqueradeBit: 14,
      hairpinMode: 'promiscuous-bridge',
      loggingFormat: 'text',
      anonymousAuth: true,
      authorizationMode: 'AlwaysAllow',
      authenticationTokenWebhookCacheTtl: 120_000,
    });
    expect(parseThresholds(parse().evictionHard).map(({ signal, amount }) => `${signal}<${amount.text}`)).toEqual([
      'imagefs.available<15%',
      'memory.available<100Mi',
      'nodefs.available<10%',
      'nodefs.inodesFree<5%',
    ]);
  });

  it.each([
    '--port=0',
    '--healthz-port=65536',
    '--container-log-max-files=1',
    '--cpu-cfs-quota-period=2s',
    '--image-gc-low-threshold=90',
    '--image-gc-high-threshold=101',
    '--oom-score-adj=-1001',
    '--iptables-drop-bit=32',
    '--hairpin-mode=bridge',
    '--cgroup-driver=other',
    '--cpu-manager-policy=None',
    '--memory-manager-policy=none',
    '--node-status-max-images=-2',
    '--enforce-node-allocatable=none,pods',
    '--cgroups-per-qos=false',
    '--eviction-hard=memory.free<1Gi',
    '--eviction-hard=memory.available<0',
    '--eviction-hard=memory.available<101%',
    '--eviction-hard=memory.available<1Gi,memory.available<2Gi',
    '--eviction-soft=memory.available<1Gi',
    '--kube-reserved=gpu=1',
    '--system-reserved=cpu=-1',
    '--node-labels=kubernetes.io/role=x',
    '--register-with-taints=a=b:Never',
    '--register-with-taints=a=b:NoSchedule,a=c:NoSchedule',
    '--node-ip=10.0.0.1,10.0.0.2',
    '--cluster-dns=dns',
    '--tls-cert-file=/x',
    '--manifest-url-header=x',
    '--authorization-mode=RBAC',
  ])('refuse %s', (argument) => expect(problems(() => parse(argument))).toHaveLength(1));

  it('accept labels of the product that describe the machine, and others', () => {
    const { nodeLabels } = parse(
      '--node-labels=topology.kubernetes.io/zone=a,node.kubernetes.io/x=1,example.com/y=2,z=3',
    );
    expect(nodeLabels.size).toBe(4);
  });

  it('ignore thresholds of 0% and 100%', () => {
    expect(parseThresholds(['memory.available<0%', 'nodefs.available<100%'])).toEqual([]);
  });
});

describe('a configuration file', () => {
  it('sets options', () => {
    const values = read(`
maxPods: 5
staticPodPath: manifests
evictionHard: { memory.available: 1Gi, nodefs.available: 5% }
kubeReserved: { cpu: 100m }
clusterDNS: [10.0.0.10]
registerWithTaints: [{ key: a, value: b, effect: NoSchedule }]
staticPodURLHeader: { X-A: [b, 'c,d'] }
authentication: { anonymous: { enabled: false }, webhook: { cacheTTL: 10s } }
logging: { format: json, verbosity: 3 }
enforceNodeAllocatable: []
`);
    expect(values).toMatchObject({
      maxPods: 5,
      podManifestPath: '/etc/manifests',
      evictionHard: ['memory.available<1Gi', 'nodefs.available<5%'],
      clusterDns: ['10.0.0.10'],
      registerWithTaints: ['a=b:NoSchedule'],
      manifestUrlHeader: ['X-A:b', 'X-A:c,d'],
      anonymousAuth: false,
      authenticationTokenWebhookCacheTtl: 10_000,
      loggingFormat: 'json',
      v: 3,
      enforceNodeAllocatable: [],
    });
    expect(values.kubeReserved).toEqual(new Map([['cpu', '100m']]));
  });

  it('loses to the command line and to variables', () => {
    const file = 'maxPods: 5\nport: 7000\nclusterDNS: [10.0.0.10]\n';
    const values = read(file, ['--cluster-dns=10.0.0.11', '--max-pods', '6'], { ORCH_PORT: '8000' });
    expect(values).toMatchObject({ maxPods: 6, port: 8000, clusterDns: ['10.0.0.11'] });
  });

  it('is refused with all of its problems', () => {
    expect(problems(() => read('maxPods: -1\nmaxPodz: 3\nlogging: { sink: x }\nevictionHard: [a]\n'))).toEqual([
      '--config /etc/agent.yaml: maxPods: -1 is less than the least allowed, 0',
      '--config /etc/agent.yaml: unknown field "maxPodz"',
      '--config /etc/agent.yaml: unknown field "logging.sink"',
      '--config /etc/agent.yaml: evictionHard: must be an object',
    ]);
    expect(problems(() => read('maxPods: 1\nmaxPods: 2\n'))).toHaveLength(1);
    expect(problems(() => readAgentOptions(['--config=/x'], {}, () => 'kind: Pod\n'))).toHaveLength(1);
    const missing = () => {
      throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    };
    expect(problems(() => readAgentOptions(['--config=/x'], {}, missing))).toEqual([
      '--config /x: ENOENT: no such file',
    ]);
  });

  it('names an option by one field', () => {
    const options = [...CONFIGURATION_FIELDS.values()].map(({ option }) => option);
    expect(new Set(options).size).toBe(options.length);
  });
});
