import type { Pod, PodSpec } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { parseResolvConf, podDns } from './dns-config.js';
import { hostsFile, hostsFileOfNode, kernelHostname, podHostname } from './hosts-file.js';

const podWith = (spec: PodSpec, name = 'web'): Pod => ({ metadata: { name, namespace: 'shop', uid: 'u' }, spec });

describe('the name of a pod', () => {
  it('is that of its spec or its own, cut', () => {
    expect(podHostname(podWith({}), 'c.local')).toEqual({ hostname: 'web', domain: '' });
    expect(podHostname(podWith({ hostname: 'h', subdomain: 's' }), 'c.local')).toEqual({
      hostname: 'h',
      domain: 's.shop.svc.c.local',
    });
    expect(podHostname(podWith({}, `${'a'.repeat(62)}-b`), 'c').hostname).toBe('a'.repeat(62));
    expect(() => podHostname(podWith({ hostname: 'A' }), 'c')).toThrow('pod Hostname "A" is not a valid DNS label');
  });

  it('is the full one for the kernel where that is asked for', () => {
    const name = { hostname: 'h', domain: 's.shop.svc.c' };
    expect(kernelHostname(podWith({}), name)).toBe('h');
    expect(kernelHostname(podWith({ setHostnameAsFQDN: true }), name)).toBe('h.s.shop.svc.c');
    const long = { hostname: 'h'.repeat(60), domain: 'd.e.f' };
    expect(() => kernelHostname(podWith({ setHostnameAsFQDN: true }), long)).toThrow('too long');
  });
});

describe('/etc/hosts', () => {
  it('has the addresses of the pod and its aliases', () => {
    const aliases = [{ ip: '10.0.0.9', hostnames: ['a', 'b'] }];
    expect(hostsFile(['10.1.0.5', 'fd00::5'], { hostname: 'h', domain: 'd' }, aliases)).toBe(
      `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
10.1.0.5\th.d\th
fd00::5\th.d\th

# Entries added by HostAliases.
10.0.0.9\ta\tb
`,
    );
    expect(hostsFile(['10.1.0.5'], { hostname: 'h', domain: '' })).toMatch(/\n10\.1\.0\.5\th\n$/);
  });

  it("is the node's in its network", () => {
    expect(hostsFileOfNode('127.0.0.1 x\n')).toBe('# Kubernetes-managed hosts file (host network).\n127.0.0.1 x\n');
  });
});

describe('resolv.conf', () => {
  const resolvConf =
    '# c\nnameserver 1.1.1.1\nsearch old\nsearch example.com. .\noptions ndots:2 rotate\noptions ndots:3\n';
  const settings = { clusterDns: ['10.0.0.10'], clusterDomain: 'cluster.local', resolvConf };
  const dns = (spec: PodSpec, more = {}) => podDns(podWith(spec), { ...settings, ...more });

  it('of a node is parsed', () => {
    expect(parseResolvConf(resolvConf)).toEqual({
      servers: ['1.1.1.1'],
      searches: ['example.com'],
      options: ['ndots:3', 'rotate'],
    });
  });

  const ofCluster = {
    servers: ['10.0.0.10'],
    searches: ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
    options: ['ndots:5'],
  };
  const ofNode = { servers: ['1.1.1.1'], searches: ['example.com'], options: ['ndots:3', 'rotate'] };
  it.each([
    [{ dnsPolicy: 'ClusterFirst' }, ofCluster],
    [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, ofNode],
    [{ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, ofCluster],
    [{ dnsPolicy: 'Default' }, ofNode],
    [
      { dnsPolicy: 'None', dnsConfig: { nameservers: ['9.9.9.9'] } },
      { servers: ['9.9.9.9'], searches: [], options: [] },
    ],
  ] as const)('follows %o', (spec, expected) => {
    expect(dns(spec as unknown as PodSpec)).toEqual({ config: expected, warnings: [] });
  });

  it('has what the pod adds', () => {
    const dnsConfig = {
      nameservers: ['10.0.0.10', '8.8.8.8'],
      searches: ['b.c'],
      options: [{ name: 'ndots', value: '1' }, { name: 'debug' }],
    };
    expect(dns({ dnsConfig }).config).toEqual({
      servers: ['10.0.0.10', '8.8.8.8'],
      searches: [...ofCluster.searches, 'b.c'],
      options: ['ndots:1', 'debug'],
    });
  });

  it("falls back to the node's where there is no DNS of the cluster, with a warning", () => {
    const { config, warnings } = dns({}, { clusterDns: [] });
    expect(config).toEqual(ofNode);
    expect(warnings.map(([reason]) => reason)).toEqual(['MissingClusterDNS']);
    expect(dns({ dnsPolicy: 'Default' }, { resolvConf: '' }).config.servers).toEqual(['127.0.0.1']);
  });

  it('keeps to the limits of resolvers', () => {
    const searches = Array.from({ length: 40 }, (_, at) => `${'x'.repeat(60)}${at}.example.com`);
    const { config, warnings } = dns({ dnsConfig: { nameservers: ['1.0.0.1', '1.0.0.2', '1.0.0.3'], searches } });
    expect(config.servers).toHaveLength(3);
    expect(config.searches.length).toBeLessThanOrEqual(32);
    expect(config.searches.join(' ').length).toBeLessThanOrEqual(2048);
    expect(warnings.map(([reason]) => reason)).toEqual(['DNSConfigForming', 'DNSConfigForming']);
  });
});
