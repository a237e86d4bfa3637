import { describe, expect, it } from 'vitest';
import { addressTypes, disabledPlugins } from './node-runtime.js';

const disabled = (nodeRuntime: string, enableAdmissionPlugins: string[] = []) =>
  disabledPlugins({ nodeRuntime, enableAdmissionPlugins, disableAdmissionPlugins: ['NodeRestriction'] });

describe('plugins of admission that are off', () => {
  it('are those of the option where this machine is no node', () => {
    expect(disabled('none')).toEqual(['NodeRestriction']);
  });

  it('are also what would taint the node of this machine', () => {
    expect(disabled('process')).toEqual(['NodeRestriction', 'TaintNodesByCondition']);
  });

  it('are not those that were asked for', () => {
    expect(disabled('process', ['TaintNodesByCondition'])).toEqual(['NodeRestriction']);
  });
});

describe('types of addresses of nodes', () => {
  const kubeletPreferredAddressTypes = ['Hostname', 'InternalIP', 'ExternalIP'];

  it('have the order of the option where this machine is no node', () => {
    expect(addressTypes({ nodeRuntime: 'none', kubeletPreferredAddressTypes })).toEqual(kubeletPreferredAddressTypes);
  });

  it('begin with the address where it is one', () => {
    const expected = ['InternalIP', 'Hostname', 'ExternalIP'];
    expect(addressTypes({ nodeRuntime: 'process', kubeletPreferredAddressTypes })).toEqual(expected);
  });
});
