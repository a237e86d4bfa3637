import { describe, expect, it } from 'vitest';
import { parseOverrides } from './storage-overrides.js';

describe('--storage-override', () => {
  it('names types and databases, several hosts too', () => {
    const given =
      'events=postgres://a:1,b:2/events,apps/deployments#postgresql://u:p@c/d?sslmode=require,/pods#postgres://e';
    expect(parseOverrides(given.split(','))).toEqual([
      { group: '', resource: 'events', url: 'postgres://a:1,b:2/events' },
      { group: 'apps', resource: 'deployments', url: 'postgresql://u:p@c/d?sslmode=require' },
      { group: '', resource: 'pods', url: 'postgres://e' },
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

  it('refuses a type that is named twice', () => {
    expect(() => parseOverrides(['events=postgres://a', '/events#postgres://b'])).toThrow(/events is named twice/);
  });
});
