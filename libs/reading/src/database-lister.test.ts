import { MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeContinue } from './continue-token.js';
import type { Listed } from './list-request.js';
import { listOptions } from './read-options.js';
import { selectionOf } from './selection.js';

let api: TestApi;
beforeEach(async () => {
  // Nothing is small enough to be taken into memory.
  api = await testApi({}, 'orch', new MemoryStore(), { maxCachedBytes: 0, concurrent: 2 });
  api.store.pageRows = 2;
  for (let i = 0; i < 7; i++) {
    const labels = { parity: i % 2 ? 'odd' : 'even' };
    await api.create('configmaps', { metadata: { name: `c${i}`, labels } });
  }
});
afterEach(() => {
  expect(api.store.openSnapshots).toBe(0);
  api.close();
});

function ask(query: string): Promise<Listed> {
  const parameters = new URLSearchParams(query);
  const endpoint = api.endpoint('configmaps');
  const options = listOptions(parameters, { kind: 'ListOptions', group: api.deps.names.metaGroup });
  const selection = selectionOf(parameters, endpoint, '');
  return api.deps.lister.list({ endpoint, namespace: 'default', options, ...(selection && { selection }) });
}

async function names({ pages }: Listed): Promise<string> {
  const found: string[] = [];
  for await (const page of pages) found.push(...page.map(({ name }) => name));
  return found.join(' ');
}

async function follow(query: string): Promise<string[]> {
  const pages: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const listed: Listed = await ask(`${query}${token && `&continue=${token}`}`);
    pages.push(await names(listed));
    token = listed.meta.continue;
  }
  return pages;
}

describe('lists of types that are not taken into memory', () => {
  it.each(['', 'resourceVersion=0'])('come from the database (%s), and the cache stays empty', async (query) => {
    const listed = await ask(query);
    expect(await names(listed)).toBe('c0 c1 c2 c3 c4 c5 c6');
    expect(api.deps.cache.peek(api.endpoint('configmaps').type)).toBeUndefined();
  });

  it('come in pages', async () => {
    expect(await follow('limit=3')).toEqual(['c0 c1 c2', 'c3 c4 c5', 'c6']);
    expect(await follow('limit=2&labelSelector=parity=odd')).toEqual(['c1 c3', 'c5']);
    expect(await follow('limit=3&labelSelector=parity=odd')).toEqual(['c1 c3 c5']);
    const first = await ask('limit=3');
    expect(first.meta.remainingItemCount).toBe(4);
    expect(await names(first)).toBe('c0 c1 c2');
    const second = await ask(`limit=3&continue=${first.meta.continue}`);
    expect(second.meta.remainingItemCount).toBe(1);
    expect(await names(second)).toBe('c3 c4 c5');
  });

  it('are counted once, and pages of tokens without a count have none', async () => {
    const open = api.store.snapshot.bind(api.store);
    const cuts: unknown[] = [];
    api.store.snapshot = (request) => {
      cuts.push(request.cut);
      return open(request);
    };
    await follow('limit=2');
    expect(cuts).toEqual(['count', 'find', 'find', 'find']);
    const version = await api.store.lastVersion();
    const token = encodeContinue({ version, after: { namespace: 'default', name: 'c1' } });
    const { meta, ...listed } = await ask(`limit=2&continue=${token}`);
    expect(await names({ meta, ...listed })).toBe('c2 c3');
    expect(meta.continue).toBeDefined();
    expect(meta).not.toHaveProperty('remainingItemCount');
  });

  it.each(['', 'limit=3', 'labelSelector=parity=odd', 'limit=2&labelSelector=parity=odd'])(
    'can be gone through twice (%s) and are the same, whatever was written meanwhile',
    async (query) => {
      const listed = await ask(query);
      const first = await names(listed);
      await api.create('configmaps', { metadata: { name: 'c00', labels: { parity: 'odd' } } });
      expect(await names(listed)).toBe(first);
    },
  );

  it('of large objects that a selector picks are not held', async () => {
    const data = { text: 'x'.repeat(600_000) };
    for (const name of ['d1', 'd2', 'd3', 'd4']) {
      await api.create('configmaps', { metadata: { name, labels: { parity: 'large' } }, data });
    }
    const before = api.store.calls.snapshot;
    const listed = await ask('limit=3&labelSelector=parity=large');
    expect(await names(listed)).toBe('d1 d2 d3');
    expect(listed.meta.continue).toBeDefined();
    // Once to find the last, once to hand them out.
    expect(api.store.calls.snapshot - before).toBe(2);
  });

  it('at a version hold history no longer than compaction waits for, though their client reads', async () => {
    const first = await ask('limit=1');
    const { meta } = first;
    expect(await names(first)).toBe('c0');
    const open = async (query: string) => {
      const held: number[] = [];
      for await (const page of (await ask(query)).pages) {
        held.push(...page.map(() => api.store.openSnapshots));
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
      return held;
    };
    const exact = `resourceVersion=${meta.resourceVersion}&resourceVersionMatch=Exact`;
    const [newest, ofVersion, next] = [await open(''), await open(exact), await open(`continue=${meta.continue}`)];
    expect(newest).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(ofVersion).toEqual([1, 1, 0, 0, 0, 0, 0]);
    expect(next).toEqual([1, 1, 0, 0, 0, 0]);
  });

  it('give their place to the next one also when they are left early', async () => {
    for (let i = 0; i < 5; i++) {
      for await (const page of (await ask('')).pages) {
        expect(page).not.toHaveLength(0);
        break;
      }
    }
  });
});
