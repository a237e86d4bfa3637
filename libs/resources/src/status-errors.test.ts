import { StatusError } from '@orch/machinery';
import {
  HistoryExpiredError,
  StoreUnavailableError,
  UnreadableBodyError,
  UnreadableChangesError,
  UnreadableListError,
  UnsealableBodyError,
} from '@orch/storage';
import {
  CacheDrainingError,
  CacheNotReadyError,
  ExpiredError,
  InitialBudgetError,
  SelectorBudgetError,
  VersionNotReachedError,
} from '@orch/watchcache';
import { describe, expect, it } from 'vitest';
import { toStatusError } from './status-errors.js';

describe('toStatusError', () => {
  const own = new StatusError('Conflict', 'x');
  it.each([
    ['a Status as it is', own, 409, 'Conflict', undefined],
    ['compacted history', new HistoryExpiredError(3n, 5n, 9n), 410, 'Expired', undefined],
    ['a ring that has passed', new ExpiredError(3n, 5n), 410, 'Expired', undefined],
    ['a version to come', new VersionNotReachedError(9n, 5n), 504, 'Timeout', 1],
    ['a cold cache', new CacheNotReadyError('x'), 429, 'TooManyRequests', 1],
    ['selectors that say too much', new SelectorBudgetError('x'), 429, 'TooManyRequests', 1],
    ['initial states that hold too much', new InitialBudgetError('x'), 429, 'TooManyRequests', 1],
    ['a server on its way out', new CacheDrainingError('x'), 429, 'TooManyRequests', 1],
    ['no database', new StoreUnavailableError('x', false), 503, 'ServiceUnavailable', 1],
    ['a write that nobody knows of', new StoreUnavailableError('x', true), 504, 'Timeout', 1],
    ['anything else', new TypeError('secret'), 500, 'InternalError', undefined],
    ['not even an error', 'secret', 500, 'InternalError', undefined],
    ['nothing', undefined, 500, 'InternalError', undefined],
  ])('%s', (_what, thrown, code, reason, seconds) => {
    const { status } = toStatusError(thrown);
    expect(status).toMatchObject({ kind: 'Status', status: 'Failure', code, reason });
    expect(status.details?.retryAfterSeconds).toBe(seconds);
    expect(JSON.stringify(status)).not.toContain('secret');
  });

  it('says what cannot be decrypted or encrypted, and for want of what', () => {
    const what = { type: { group: '', resource: 'x' }, key: { namespace: '', name: 'a' }, why: 'no key' };
    for (const thrown of [
      new UnreadableBodyError(what, false),
      new UnsealableBodyError('unable to read x "a": no key'),
    ])
      expect(toStatusError(thrown).status).toMatchObject({
        ...{ code: 500, reason: 'InternalError' },
        message: 'Internal error occurred: unable to read x "a": no key',
      });
  });

  it('names no object to who has asked for many, of whatever namespace', () => {
    const key = { namespace: 'other', name: 'hush' };
    const one = new UnreadableBodyError({ type: { group: '', resource: 'x' }, key, why: 'no key' }, false);
    const listed = new UnreadableListError(one);
    for (const thrown of [listed, ...[one, listed].map((cause) => new CacheNotReadyError('x', { cause }))])
      expect(toStatusError(thrown).message).toBe('Internal error occurred: unable to read x: no key');
    // For the log.
    expect(listed.message).toContain('"other/hush"');
  });

  it('has those try again who ask for what a key service decrypts that is away', () => {
    const key = { namespace: 'other', name: 'hush' };
    const one = new UnreadableBodyError({ type: { group: '', resource: 'x' }, key, why: 'no answer' }, true);
    const listed = new UnreadableListError(one);
    for (const thrown of [
      one,
      listed,
      new UnreadableChangesError(one),
      new CacheNotReadyError('x', { cause: listed }),
    ]) {
      const { status } = toStatusError(thrown);
      expect(status).toMatchObject({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } });
      expect(status.message).toContain('no answer');
      expect(status.message?.includes('hush')).toBe(thrown === one);
    }
  });

  it('tells a server that goes from one that comes', () => {
    expect(toStatusError(new CacheNotReadyError('x')).message).toContain('not yet ready');
    expect(toStatusError(new CacheDrainingError('x')).message).toContain('shutting down');
  });
});
