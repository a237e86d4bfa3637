import { describe, expect, it } from 'vitest';
import { disabledPlugins } from './node-runtime.js';

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
