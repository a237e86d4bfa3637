import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClaims, type StoredClaims } from './store-claims.js';

const ADDRESS = '10.96.0.9';
const owner = { namespace: 'default', name: 'web', uid: 'u1' };
const other = { namespace: 'default', name: 'other', uid: 'u2' };

let api: TestApi;
let claims: StoredClaims;

beforeEach(async () => {
  api = await testApi();
  claims = (await openClaims(api.store)).clusterIPs;
});
afterEach(() => api.close());

const holder = async (): Promise<string | undefined> => (await claims.all()).get(ADDRESS)?.uid;

describe('a claim', () => {
  it('is had by one owner, and by the next when it is released', async () => {
    const hold = await claims.claim(ADDRESS, owner);
    expect(await claims.claim(ADDRESS, other)).toBeUndefined();
    expect(await claims.held(ADDRESS, other)).toBeUndefined();
    await hold?.release();
    expect(await claims.claim(ADDRESS, other)).toBeDefined();
    expect(await holder()).toBe(other.uid);
  });

  it('stays when it was taken again after it was looked at to be given up', async () => {
    await claims.claim(ADDRESS, owner);
    const before = await claims.held(ADDRESS, owner);
    await claims.claim(ADDRESS, owner);
    await before?.release();
    expect(await holder()).toBe(owner.uid);
  });

  it('stays when a write that came second for the same owner takes back what it took', async () => {
    await claims.claim(ADDRESS, owner);
    const second = await claims.claim(ADDRESS, owner);
    await second?.release();
    expect(await holder()).toBe(owner.uid);
  });

  it('stays when a write that came first takes back what a second has taken since', async () => {
    const first = await claims.claim(ADDRESS, owner);
    await claims.claim(ADDRESS, owner);
    await first?.release();
    expect(await holder()).toBe(owner.uid);
  });
});
