import { describe, expect, it } from 'vitest';
import { parseOverrides } from './storage-overrides.js';

describe('--storage-override', () => {
  it('names types and databases, several hosts too', () => {
    const given =
      'events=postgres://a:1,b:2/events,apps/deployments#postgresql://u:p@c/d?sslmode=require,/nodes#postgres://e';
    expect(parseOverrides(given.split(','))).toEqual([
      { group: '', resource: 'events', url: 'postgres://a:1,b:2/events' },
      { group: 'apps', resource: 'deployments', url: 'postgresql://u:p@c/d?sslmode=require' },
      { group: '', resource: 'nodes', url: 'postgres://e' },
    ]);
    expect(parseOverrides([])).toEqual([]);
  });

  it.each(['events', 'events=mysql://u:secret@a', '=postgres://u:secret@a', 'a/b/c=postgres://u:secret@a'])(
    'refuses %s without telling a password',
    (text) => {
      expect(() => parseOverrides([text])).toThrow(/not of the form/);
      expect(() => parseOverrides([text])).not.toThrow(/secret/);
    },
  );

  it('refuses to part pods from the budgets that evictions charge', () => {
    const [pods, budgets] = ['pods=postgres://a', 'policy/poddisruptionbudgets=postgres://a'];
    const parted = /pods and policy\/poddisruptionbudgets must be in the same database/;
    for (const entries of [[pods], [budgets], [pods, budgets.replace('//a', '//b')]])
      expect(() => parseOverrides(entries)).toThrow(parted);
    expect(parseOverrides([pods, budgets])).toHaveLength(2);
  });

  it('refuses a type that is named twice', () => {
    expect(() => parseOverrides(['events=postgres://a', '/events#postgres://b'])).toThrow(/events is given twice/);
  });
});
