import { authenticated } from '@orch/authentication';
import { type ApiObject, StatusError } from '@orch/machinery';
import type { Rate, SharedRates } from '@orch/webhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Attributes } from '../../attributes.js';
import type { AdmissionPlugin } from '../../plugin.js';
import { attributesOf, pluginOf } from '../../testing/asking.js';
import { TokenBuckets } from './token-buckets.js';

// No time goes by.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const config = (...limits: object[]) => ({
  apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
  kind: 'Configuration',
  limits,
});
const limit = (type: string, burst = 1, more: object = {}) => ({ type, qps: 1, burst, ...more });
const event = (name: string): ApiObject => ({
  metadata: { name: 'e' },
  source: { component: 'c', host: 'h' },
  involvedObject: { kind: 'Pod', namespace: 'default', name, uid: 'u', apiVersion: 'v1' },
});

/** Why an event is refused; undefined where it passes. */
async function ask(plugin: AdmissionPlugin, changed: Partial<Attributes> = {}): Promise<string | undefined> {
  const attributes = attributesOf({ resource: 'events', kind: 'Event', name: 'e', object: event('a'), ...changed });
  expect(plugin.handles(attributes)).toBe(true);
  try {
    await plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 429, status: { reason: 'TooManyRequests' } });
    return (error as Error).message;
  }
}

const limited = (...limits: object[]) => pluginOf('EventRateLimit', { configuration: config(...limits) });
const reached = (type: string, key: string) => `Too many requests: limit reached on type ${type} for key ${key}`;
const other = authenticated({ name: 'joe', groups: [], extra: {} }, 'token').user;

describe('a limit on events', () => {
  it.each<[string, string, Partial<Attributes>]>([
    ['Namespace', 'default', { namespace: 'other' }],
    ['User', 'jane', { user: other }],
    ['SourceAndObject', 'chPoddefaultauv1', { object: event('b') }],
  ])('of type %s counts what belongs together', async (type, key, different) => {
    const plugin = limited(limit(type));
    expect(await ask(plugin)).toBeUndefined();
    expect(await ask(plugin, different)).toBeUndefined();
    expect(await ask(plugin)).toBe(reached(type, key));
  });

  it('of the server counts all, whichever group they come through; a dry run costs nothing', async () => {
    const plugin = limited(limit('Server', 2));
    for (let at = 0; at < 5; at++) expect(await ask(plugin, { options: { dryRun: true } })).toBeUndefined();
    expect(await ask(plugin)).toBeUndefined();
    expect(await ask(plugin, { group: 'events.k8s.io', version: 'v1', user: other })).toBeUndefined();
    expect(await ask(plugin, { namespace: 'other' })).toBe(reached('Server', ''));
  });

  it('tells all that are reached', async () => {
    const plugin = limited(limit('Server'), limit('User'));
    expect(await ask(plugin)).toBeUndefined();
    expect(await ask(plugin)).toBe(
      'Too many requests: [limit reached on type Server for key , limit reached on type User for key jane]',
    );
  });

  it('reads events of the newer group', async () => {
    const plugin = limited(limit('SourceAndObject'));
    const object = { deprecatedSource: { component: 'd' }, regarding: { kind: 'Node', name: 'n' } };
    const group = { group: 'events.k8s.io', object };
    expect(await ask(plugin, group)).toBeUndefined();
    expect(await ask(plugin, group)).toBe(reached('SourceAndObject', 'dNoden'));
  });

  it.each<[unknown, string]>([
    [undefined, 'limits: Invalid value: []: must not be empty'],
    [config(), 'limits: Invalid value: []: must not be empty'],
    [config(limit('Cluster')), 'limits[0].type: Unsupported value: "Cluster"'],
    [config(limit('Server', 0)), 'limits[0].burst: Invalid value: 0: must be positive'],
    [config({ ...limit('Server'), qps: -1 }), 'limits[0].qps: Invalid value: -1: must be positive'],
    [config(limit('User', 1, { cacheSize: -1 })), 'limits[0].cacheSize: Invalid value: -1: must not be negative'],
    [config(limit('User', 1, { size: 1 })), 'unknown field "limits[0].size"'],
    [{ ...config(limit('User')), kind: 'X' }, 'no kind "X" is registered'],
  ])('that is none is refused: %j', (configuration, message) => {
    expect(() => pluginOf('EventRateLimit', { configuration })).toThrow(message);
  });
});

describe('a limit that processes keep together', () => {
  const sharing = (answer: boolean | undefined) => {
    const taken: [readonly string[], Rate][] = [];
    const sharedRates: SharedRates = {
      take: async (parts, rate) => {
        taken.push([parts, rate]);
        return answer;
      },
    };
    const configuration = config(limit('Server', 2), limit('User', 100));
    return { plugin: pluginOf('EventRateLimit', { configuration, sharedRates }), taken };
  };

  it('is the server’s, and no other', async () => {
    const { plugin, taken } = sharing(false);
    expect(plugin.callsOut).toBe(true);
    expect(await ask(plugin)).toBe(reached('Server', ''));
    expect(taken).toEqual([[['events', 'Server'], { perSecond: 1, burst: 2 }]]);
    expect(limited(limit('Server')).callsOut).toBe(false);
  });

  it('is kept to by each alone where they cannot', async () => {
    const { plugin } = sharing(undefined);
    expect([await ask(plugin), await ask(plugin)]).toEqual([undefined, undefined]);
    expect(await ask(plugin)).toBe(reached('Server', ''));
  });
});

describe('buckets', () => {
  it('are filled as time goes by, and not beyond their burst', () => {
    let now = 0;
    const buckets = new TokenBuckets({ perSecond: 2, burst: 3 }, 10, () => now);
    const taken = () => Array.from({ length: 5 }, () => buckets.take('a')).filter(Boolean).length;
    expect(taken()).toBe(3);
    now += 499;
    expect(taken()).toBe(0);
    now += 1;
    expect(taken()).toBe(1);
    now += 60_000;
    expect(taken()).toBe(3);
  });

  it('keep little of long keys, and tell them apart', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 }, 10, () => 0);
    const long = 'x'.repeat(1 << 20);
    expect([`${long}1`, `${long}2`, `${long}1`, 'short'].map((key) => buckets.take(key))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([...buckets.known].every(({ length }) => length < 100)).toBe(true);
  });

  it('are forgotten, those first that were not asked about for long', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 }, 2, () => 0);
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => buckets.take(key))).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});
