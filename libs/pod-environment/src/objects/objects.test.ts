import { ApiError, type Client } from '@orch/client';
import { notFound } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ReferencedObjects } from './referenced-objects.js';

describe('objects that pods use', () => {
  it('are read again after a while, and at once when they were missing', async () => {
    const clock = new ManualClock();
    let requests = 0;
    let exists = false;
    const client = {
      async get(ref: { resource: string }, name: string) {
        requests++;
        if (!exists) throw new ApiError(notFound({ group: '', resource: ref.resource }, name).status);
        return { data: { n: String(requests) } };
      },
    } as unknown as Pick<Client, 'get'>;
    const objects = new ReferencedObjects(client, clock).followedBy('u');
    const both = () => Promise.all([objects.configMap('ns', 'a'), objects.configMap('ns', 'a')]);
    await expect(both()).rejects.toThrow('configmap "a" not found');
    expect(requests).toBe(1);
    exists = true;
    expect((await both()).map(({ data }) => data?.n)).toEqual(['2', '2']);
    expect((await objects.secret('ns', 'a')).data?.n).toBe('3');
    await clock.advance(29_000);
    await both();
    expect(requests).toBe(3);
    await clock.advance(1_000);
    await both();
    expect(requests).toBe(4);
  });

  it('are not older than the pod, nor than what is taken from them once', async () => {
    const clock = new ManualClock();
    let version = 'old';
    let requests = 0;
    const get = async () => ({ data: { version: `${version} ${++requests}` } });
    const objects = new ReferencedObjects({ get } as unknown as Pick<Client, 'get'>, clock);
    const seen = async (used: ReturnType<typeof objects.current>) => (await used.configMap('ns', 'a')).data?.version;
    expect(await seen(objects.followedBy('first'))).toBe('old 1');
    version = 'new';
    await clock.advance(1);
    expect(await seen(objects.followedBy('first'))).toBe('old 1');
    expect(await seen(objects.followedBy('second'))).toBe('new 2');
    await clock.advance(1);
    expect(await seen(objects.followedBy('first'))).toBe('new 2');
    expect(await seen(objects.followedBy('second'))).toBe('new 2');
    expect(await seen(objects.current())).toBe('new 3');
    objects.forget('second');
    await clock.advance(1);
    expect(await seen(objects.followedBy('second'))).toBe('new 4');
  });
});
