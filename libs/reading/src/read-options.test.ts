import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { encodeContinue } from './continue-token.js';
import { getFreshness, listOptions, parseBool, watchOptions } from './read-options.js';

const KIND = { kind: 'ListOptions', group: 'meta.orch.io' };
const query = (text: string) => new URLSearchParams(text);
const token = encodeContinue({ version: 7n, after: { namespace: 'a', name: 'b' } });

/** What a call comes to: its value, or the code of its refusal. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const recent = { want: 'recent' };
const any = { want: 'any' };
const notOlder = { want: 'not-older', than: 5n };
const exact = { want: 'exact', at: 5n };
const continued = { version: 7n, after: { namespace: 'a', name: 'b' } };

describe('list (spec: "Resource version semantics", List)', () => {
  it.each([
    // claim, resourceVersionMatch, limit, continue, version, what it means or the code of the refusal
    ['match unset, limit unset, version unset: Most Recent', '', '', '', '', recent],
    ['match unset, limit unset, version 0: Any', '', '', '', '0', any],
    ['match unset, limit unset, other version: Not older than', '', '', '', '5', notOlder],
    ['match unset, limit set, version unset: Most Recent', '', '10', '', '', recent],
    ['match unset, limit set, version 0: Any', '', '10', '', '0', any],
    ['match unset, limit set, other version: Exact', '', '10', '', '5', exact],
    ['match unset, continue set, version unset: Continue Token, Exact', '', '10', token, '', 'continued'],
    ['match unset, continue set, version 0: treated as Continue Token, Exact', '', '10', token, '0', 'continued'],
    ['match unset, continue set, other version: invalid, 400', '', '10', token, '5', 400],
    ['continue without a limit: the rest', '', '', token, '', 'continued'],
    ['Exact, limit unset, version unset: invalid', 'Exact', '', '', '', 422],
    ['Exact, limit unset, version 0: invalid', 'Exact', '', '', '0', 422],
    ['Exact, limit unset, other version: Exact', 'Exact', '', '', '5', exact],
    ['Exact, limit set, version unset: invalid', 'Exact', '10', '', '', 422],
    ['Exact, limit set, version 0: invalid', 'Exact', '10', '', '0', 422],
    ['Exact, limit set, other version: Exact', 'Exact', '10', '', '5', exact],
    ['NotOlderThan, limit unset, version unset: invalid', 'NotOlderThan', '', '', '', 422],
    ['NotOlderThan, limit unset, version 0: Any', 'NotOlderThan', '', '', '0', any],
    ['NotOlderThan, limit unset, other version: Not older than', 'NotOlderThan', '', '', '5', notOlder],
    ['NotOlderThan, limit set, version unset: invalid', 'NotOlderThan', '10', '', '', 422],
    ['NotOlderThan, limit set, version 0: Any', 'NotOlderThan', '10', '', '0', any],
    ['NotOlderThan, limit set, other version: Not older than', 'NotOlderThan', '10', '', '5', notOlder],
    ['a match beside continue: invalid', 'Exact', '10', token, '5', 422],
    ['an unknown match: invalid', 'Newer', '', '', '5', 422],
  ])('%s', (_claim, match, limit, next, version, expected) => {
    const given = query('');
    if (match) given.set('resourceVersionMatch', match);
    if (limit) given.set('limit', limit);
    if (next) given.set('continue', next);
    if (version) given.set('resourceVersion', version);
    const found = outcome(() => listOptions(given, KIND));
    if (typeof expected === 'number') expect(found).toBe(expected);
    else if (expected === 'continued') expect(found).toMatchObject({ continuation: continued });
    else expect(found).toEqual({ freshness: expected, limit: Number(limit) });
  });

  it.each([
    ['', 400],
    ['0', 0],
    ['-1', 0],
    ['500', 500],
    ['9223372036854775807', Number.MAX_SAFE_INTEGER],
    ['99999999999999999999', 400],
    ['1e3', 400],
    ['x', 400],
    ['0x10', 400],
  ])('limit %j', (text, expected) => {
    const found = outcome(() => listOptions(query(`limit=${text}`), KIND));
    if (expected === 400) expect(found).toBe(400);
    else expect(found).toMatchObject({ limit: expected });
  });

  it.each([
    ['resourceVersionMatch=Exact', ['unless resourceVersion is provided']],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      ['resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
    ],
    [`resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=${token}`, ['when continue is provided']],
    ['limit=x', ['strconv.ParseInt: parsing "x": invalid syntax']],
    ['limit=', ['strconv.ParseInt: parsing "": invalid syntax']],
    ['timeoutSeconds=soon', ['strconv.ParseInt: parsing "soon": invalid syntax']],
    ['timeoutSeconds=', ['strconv.ParseInt: parsing "": invalid syntax']],
    ['timeoutSeconds=99999999999999999999', ['strconv.ParseInt: parsing "99999999999999999999": value out of range']],
  ])('words the refusal of %s as clients know it', (text, parts) => {
    for (const part of parts) expect(() => listOptions(query(text), KIND)).toThrow(part);
  });

  it('names the option that it refuses', () => {
    expect(() => listOptions(query('resourceVersionMatch=Newer&resourceVersion=5'), KIND)).toThrow(
      'ListOptions.meta.orch.io "" is invalid: resourceVersionMatch: Unsupported value: "Newer": supported values: "Exact", "NotOlderThan"',
    );
  });
});

describe('get (spec: "Resource version semantics", Get)', () => {
  it.each([
    ['', recent],
    ['resourceVersion=', recent],
    ['resourceVersion=0', any],
    ['resourceVersion=5', notOlder],
    ['resourceVersion=x', 400],
    ['resourceVersion=-1', 400],
    ['resourceVersion=5.0', 400],
    // Nothing that a server has ever issued.
    ['resourceVersion=00', 400],
    ['resourceVersion=05', 400],
    ['resourceVersion=9223372036854775808', 400],
    ['resourceVersion=9223372036854775807', { want: 'not-older', than: 2n ** 63n - 1n }],
  ])('%s', (text, expected) => {
    expect(outcome(() => getFreshness(query(text)))).toEqual(expected);
  });
});

describe('watch (spec: "Resource version semantics", Watch; "Watch behavior")', () => {
  const stream = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  it.each([
    ['unset: Get State and Start at Most Recent', '', { from: { at: 'now' }, initialEvents: 'legacy' }],
    ['0: Get State and Start at Any', 'resourceVersion=0', { from: { at: 'any' }, initialEvents: 'legacy' }],
    ['other: Start at Exact', 'resourceVersion=5', { from: { after: 5n }, initialEvents: 'none' }],
    ['streamed, unset', stream, { from: { at: 'now' }, initialEvents: 'stream' }],
    ['streamed, 0', `${stream}&resourceVersion=0`, { from: { at: 'any' }, initialEvents: 'stream' }],
    [
      'streamed, not older than',
      `${stream}&resourceVersion=5`,
      { from: { at: 'now' }, notOlderThan: 5n, initialEvents: 'stream' },
    ],
    [
      'no initial events wanted',
      'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
      { from: { at: 'now' }, initialEvents: 'none' },
    ],
    ['streamed without a match', 'sendInitialEvents=true', 422],
    ['streamed with another match', 'sendInitialEvents=true&resourceVersionMatch=Exact', 422],
    ['a match alone', 'resourceVersionMatch=NotOlderThan&resourceVersion=5', 422],
    ['garbage', 'resourceVersion=x', 400],
    ['a bad timeout', 'timeoutSeconds=1.5', 400],
    ['a negative timeout', 'timeoutSeconds=-1', 400],
    ['a timeout beyond measure', 'timeoutSeconds=99999999999', 400],
  ])('%s', (_claim, text, expected) => {
    const found = outcome(() => watchOptions(query(text), KIND, true));
    expect(found).toEqual(typeof expected === 'number' ? expected : { bookmarks: false, ...expected });
  });

  it('reads bookmarks and the time to end', () => {
    const options = watchOptions(query('allowWatchBookmarks=true&timeoutSeconds=30'), KIND, true);
    expect(options).toMatchObject({ bookmarks: true, timeoutSeconds: 30 });
    expect(watchOptions(query('timeoutSeconds=0'), KIND, true)).not.toHaveProperty('timeoutSeconds');
  });

  it('refuses a continue token beside a match', () => {
    expect(() => watchOptions(query(`${stream}&continue=x`), KIND, true)).toThrow(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    );
  });

  it('refuses initial events while the gate is off, so that clients fall back to a list', () => {
    expect(outcome(() => watchOptions(query(stream), KIND, false))).toBe(422);
    expect(outcome(() => watchOptions(query(''), KIND, false))).toMatchObject({ initialEvents: 'legacy' });
  });
});

describe('values', () => {
  it.each([
    ['', undefined],
    ['b=', true],
    ['b=1', true],
    ['b=True', true],
    ['b=f', true],
    ['b=yes', true],
    ['b=0', false],
    ['b=false', false],
    ['b=fALSE', false],
  ])('boolean %j', (text, expected) => {
    expect(outcome(() => parseBool(query(text), 'b'))).toBe(expected);
  });
});
