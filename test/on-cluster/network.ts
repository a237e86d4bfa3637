import { join } from 'node:path';
import { ManagedProcess } from '../../tools/up/index.js';
import type { ControlPlane } from './control-plane.js';
import { NODES, PODS, put, SERVER_ADDRESS } from './place.js';
import type { BuiltPrograms } from './programs.js';

/** Addresses of Services and names: kube-proxy and CoreDNS, one of each for all nodes, which share a network. */
export async function startNetwork(
  dir: string,
  programs: Pick<BuiltPrograms, 'coredns' | 'proxy'>,
  plane: ControlPlane,
): Promise<ManagedProcess[]> {
  put('/etc/cni/net.d/10-pods.conflist', JSON.stringify(networkOfPods(join(dir, 'addresses'))));
  const conntrack = ['max-per-core=0', 'min=0', 'tcp-timeout-established=0s', 'tcp-timeout-close-wait=0s'];
  const proxy = [
    ...[`--kubeconfig=${plane.kubeconfig('proxy')}`, `--hostname-override=${NODES[0].name}`, '--proxy-mode=iptables'],
    ...[`--cluster-cidr=${PODS}`, ...conntrack.map((each) => `--conntrack-${each}`)],
  ];
  const zone = `kubernetes cluster.local in-addr.arpa ip6.arpa {\n    kubeconfig ${plane.kubeconfig('admin')}\n    pods insecure\n    fallthrough in-addr.arpa ip6.arpa\n    ttl 5\n  }`;
  const hosts = `hosts ${join(dir, 'hosts')} {\n    fallthrough\n  }`;
  const names = `.:53 {\n  bind ${SERVER_ADDRESS}\n  errors\n  ${hosts}\n  ${zone}\n  cache 5\n}\n`;
  const of = (name: string, command: string, args: readonly string[]) =>
    new ManagedProcess({ name, command, args, logFile: join(dir, `${name}.log`), ready: async () => true }).start();
  return [
    await of('coredns', programs.coredns, ['-conf', put(join(dir, 'Corefile'), names)]),
    await of('kube-proxy', programs.proxy, proxy),
  ];
}

/** A bridge to which every pod has a wire, and ports of the node that lead to pods. */
const networkOfPods = (dataDir: string): object => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      ...{ type: 'bridge', bridge: 'pods0', isGateway: true, ipMasq: false, hairpinMode: true },
      ipam: { type: 'host-local', ranges: [[{ subnet: PODS }]], routes: [{ dst: '0.0.0.0/0' }], dataDir },
    },
    { type: 'portmap', capabilities: { portMappings: true }, snat: true },
  ],
});
