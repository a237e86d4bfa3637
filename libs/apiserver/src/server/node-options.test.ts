import { agentOptions } from '@orch/connections';
import { credentialOptions } from '@orch/credentials';
import { addressOptions } from '@orch/maintenance';
import { defineOptions, readCommandLine } from '@orch/runtime';
import { expect, it } from 'vitest';
import { nodeOptions } from './node-options.js';

const read = (...args: string[]) => {
  let refusal = '';
  const stderr = {
    write(text: string) {
      refusal += text;
    },
  };
  const options = defineOptions({ ...addressOptions, ...credentialOptions, ...agentOptions, ...nodeOptions });
  const line = readCommandLine(options, args, '', { stdout: stderr, stderr, env: {} });
  return line.run ? line.values : refusal;
};

it('takes what command lines of API servers say of nodes', () => {
  const files = ['--kubelet-client-certificate=/a', '--kubelet-client-key=/b', '--kubelet-certificate-authority=/c'];
  const others = ['--kubelet-preferred-address-types=InternalIP,Hostname', '--kubelet-timeout=3s', '--profiling=false'];
  expect(read(...files, ...others)).toMatchObject({
    kubeletClientCertificate: '/a',
    kubeletPreferredAddressTypes: ['InternalIP', 'Hostname'],
    kubeletTimeout: 3000,
    profiling: false,
    endpointReconcilerType: 'lease',
  });
});

it.each([
  ['--kubelet-preferred-address-types=Elsewhere', 'Elsewhere'],
  ['--advertise-address=example.com', 'it must be an address of IPv4 or IPv6'],
  ['--advertise-address=127.0.0.1', 'others reach this server by'],
  ['--endpoint-reconciler-type=etcd', 'etcd'],
])('refuses %s', (argument, why) => {
  expect(read(argument)).toContain(why);
});
