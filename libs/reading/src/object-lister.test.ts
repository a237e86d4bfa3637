import { StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { heldUp, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeContinue } from './continue-token.js';
import type { Listed } from './list-request.js';
import { listOptions } from './read-options.js';
import { selectionOf } from './selection.js';

let api: TestApi;
let endpoint: Endpoint;
beforeEach(async () => {
  api = await testApi();
  endpoint = api.endpoint('configmaps');
});
afterEach(() => {
  expect(api.store.openSnapshots).toBe(0);
  api.close();
});

interface Page {
  readonly names: readonly string[];
  readonly meta: Listed['meta'];
}

async function list(query: string, namespace = 'default'): Promise<Page> {
  const parameters = new URLSearchParams(query);
  const options = listOptions(parameters, { kind: 'ListOptions', group: api.deps.names.metaGroup });
  const selection = selectionOf(parameters, endpoint, '');
  const listed = await api.deps.lister.list({ endpoint, namespace, options, ...(selection && { selection }) });
  const names: string[] = [];
  for await (const page of listed.pages) names.push(...page.map((row) => row.name));
  return { names, meta: listed.meta };
}

async function refusal(query: string): Promise<StatusError> {
  try {
    await list(query);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

const make = async (...names: string[]) => {
  for (const name of names) {
    const labels = { parity: Number(name.slice(1)) % 2 ? 'odd' : 'even' };
    await api.create('configmaps', { metadata: { name, labels } });
  }
};
/** The newest version of the type. */
const version = () =>
  api.store
    .rows(endpoint.type)
    .map((row) => row.version)
    .sort((a, b) => Number(b - a))[0] ?? 0n;

/** All pages of a list, as a client follows them. */
async function follow(query: string, namespace = 'default'): Promise<Page[]> {
  const pages = [await list(query, namespace)];
  const limit = new URLSearchParams(query).get('limit') ?? '';
  const selectors = query.split('&').filter((part) => part.startsWith('labelSelector'));
  for (let next = pages[0]?.meta.continue; next; next = pages.at(-1)?.meta.continue) {
    pages.push(await list([`limit=${limit}`, `continue=${next}`, ...selectors].join('&'), namespace));
    if (pages.length > 50) throw new Error('it goes round in circles');
  }
  return pages;
}

describe('pages (spec: "Paging")', () => {
  it('goes on with the state anew that is unloaded meanwhile', async () => {
    await make('a1', 'a2');
    for (const query of ['', 'resourceVersion=0', 'labelSelector=parity=odd']) {
      await list(query);
      const listing = list(query);
      api.deps.cache.unload(endpoint.type);
      expect((await listing).names).toContain('a1');
    }
  });

  it.each(['limit=2', 'limit=2&resourceVersion=0', 'limit=2&exact'])(
    'of %s show one state to the end',
    async (query) => {
      await make('c1', 'c2', 'c3', 'c4', 'c5');
      const at = version();
      const asked = query.replace('exact', `resourceVersion=${at}&resourceVersionMatch=Exact`);
      const first = await list(asked);
      await make('c0', 'c6');
      const pages = [first];
      for (let next = first.meta.continue; next; next = pages.at(-1)?.meta.continue) {
        pages.push(await list(`limit=2&continue=${next}`));
      }
      expect(pages.map(({ names }) => names)).toEqual([['c1', 'c2'], ['c3', 'c4'], ['c5']]);
      expect(new Set(pages.map(({ meta }) => meta.resourceVersion))).toEqual(new Set([String(at)]));
      expect(pages.map(({ meta }) => meta.remainingItemCount)).toEqual([3, 1, undefined]);
    },
  );

  it('end where they end, also when the last one is full', async () => {
    await make('c1', 'c2', 'c3', 'c4');
    const pages = await follow('limit=2');
    expect(pages.map(({ names }) => names.length)).toEqual([2, 2]);
    expect(pages.at(-1)?.meta).not.toHaveProperty('continue');
  });

  it('say nothing of how many are left when a selector is at work', async () => {
    await make('c1', 'c2', 'c3', 'c4', 'c5', 'c6');
    const pages = await follow('limit=2&labelSelector=parity=odd');
    expect(pages.map(({ names }) => names)).toEqual([['c1', 'c3'], ['c5']]);
    for (const { meta } of pages) expect(meta).not.toHaveProperty('remainingItemCount');
  });

  it('of an exact version that a selector thins out end where they end', async () => {
    await make('c1', 'c2', 'c3', 'c4', 'c5');
    const at = version();
    await make('c7', 'c9');
    const query = `limit=2&resourceVersion=${at}&resourceVersionMatch=Exact&labelSelector=parity=odd`;
    const pages = await follow(query);
    expect(pages.map(({ names }) => names)).toEqual([['c1', 'c3'], ['c5']]);
    expect(pages[0]?.meta).not.toHaveProperty('remainingItemCount');
  });

  it('stay within the namespace, whatever key a token names', async () => {
    for (const name of ['a', 'z']) await api.create('namespaces', { metadata: { name } });
    for (const namespace of ['a', 'default', 'z'])
      await api.create('configmaps', { metadata: { name: 'c' } }, namespace);
    await make('d1');
    for (const exact of [0n, version()]) {
      const from = (namespace: string) =>
        `continue=${encodeContinue({ version: exact, after: { namespace, name: 'c' } })}`;
      expect((await list(from('a'))).names).toEqual(['c', 'd1']);
      expect((await list(from('default'))).names).toEqual(['d1']);
      expect((await list(from('z'))).names).toEqual([]);
    }
  });

  it('cross namespaces in order when the list does', async () => {
    await api.create('namespaces', { metadata: { name: 'a' } });
    await api.create('configmaps', { metadata: { name: 'x' } }, 'a');
    await make('c1', 'c2');
    const pages = await follow('limit=1', '');
    expect(pages.map(({ names }) => names[0])).toEqual(['x', 'c1', 'c2']);
  });
});

describe('exact versions (spec: "Resource version semantics")', () => {
  it('show the state as it was', async () => {
    await make('c1', 'c2');
    const at = version();
    await make('c3');
    const { names, meta } = await list(`resourceVersion=${at}&resourceVersionMatch=Exact`);
    expect([names, meta.resourceVersion]).toEqual([['c1', 'c2'], String(at)]);
  });

  it('that another type has drawn are exact here, too', async () => {
    await make('c1', 'c2', 'c3');
    // A version above the newest of this type, of a change to another one.
    await api.create('namespaces', { metadata: { name: 'later' } });
    const at = await api.store.lastVersion();
    expect(at).toBeGreaterThan(version());
    const whole = await list(`resourceVersion=${at}&resourceVersionMatch=Exact`);
    expect([whole.names, whole.meta.resourceVersion]).toEqual([['c1', 'c2', 'c3'], String(at)]);
    const pages = await follow(`limit=2&resourceVersion=${at}`);
    expect(pages.map(({ names }) => names)).toEqual([['c1', 'c2'], ['c3']]);
    expect(new Set(pages.map(({ meta }) => meta.resourceVersion))).toEqual(new Set([String(at)]));
  });

  it('that are no longer held are 410', async () => {
    await make('c1', 'c2');
    const at = version();
    await make('c3');
    api.store.compact(endpoint.type, version());
    const { toStatusError } = await import('@orch/resources');
    const error = await list(`resourceVersion=${at}&resourceVersionMatch=Exact`).catch(toStatusError);
    expect(error).toMatchObject({ status: { code: 410, reason: 'Expired' } });
  });

  it.each(['resourceVersion=1000', 'limit=2&resourceVersion=1000', 'continue'])(
    'of the future are 504 with the cause that clients look for (%s)',
    async (query) => {
      await make('c1');
      const token = encodeContinue({ version: 1000n, after: { namespace: 'default', name: 'a' } });
      const error = await refusal(query === 'continue' ? `continue=${token}` : query);
      expect(error.status).toMatchObject({
        code: 504,
        details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
      });
    },
  );

  it('not older than one that has come are waited for', async () => {
    await make('c1');
    const waiting = list(`resourceVersion=${version() + 1n}`);
    await expect.poll(() => api.store.calls.lastVersion).toBeGreaterThan(0);
    await make('c2');
    expect((await waiting).names).toEqual(['c1', 'c2']);
  });
});

it('lists are of the database where memory is held up by an object whose key is not to be had', async () => {
  await make('c1', 'c2');
  const cache = api.deps.cache.type(endpoint.type, endpoint.description);
  await cache.waitReady();
  vi.spyOn(cache, 'confirm').mockRejectedValue(heldUp());
  const before = api.store.calls.snapshot;
  expect(await list('')).toMatchObject({ names: ['c1', 'c2'] });
  expect(api.store.calls.snapshot).toBe(before + 1);
});

describe('expired tokens (spec: "Paging")', () => {
  it('answer 410 with a token that goes on behind the same key at the newest state', async () => {
    await make('c1', 'c2', 'c3', 'c4');
    const { meta } = await list('limit=2');
    await make('c0', 'c5');
    api.store.compact(endpoint.type, version());
    const error = await refusal(`limit=2&continue=${meta.continue}`);
    expect(error.status).toMatchObject({ code: 410, reason: 'Expired' });
    const further = error.status.metadata.continue;
    expect(further).toBeDefined();
    const rest = await list(`limit=2&continue=${further}`);
    expect([rest.names, rest.meta.resourceVersion]).toEqual([['c3', 'c4'], String(version())]);
    expect((await list(`limit=2&continue=${rest.meta.continue}`)).names).toEqual(['c5']);
  });
});

describe('a herd of consistent lists', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Lets the head be read only when told to. */
  function holdHeads() {
    const read = api.store.heads.bind(api.store);
    const held: (() => void)[] = [];
    api.store.heads = async (types) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return read(types);
    };
    return held;
  }

  it('looks at the head once while nobody looks, and once more for all who came meanwhile', async () => {
    await make('c1');
    await list('resourceVersion=0');
    await turn();
    const held = holdHeads();
    const first = list('');
    await turn();
    expect(held).toHaveLength(1);
    const herd = Array.from({ length: 1_000 }, () => list(''));
    await turn();
    expect(held).toHaveLength(1);
    // The look under way may have missed this one: it is not for those who came after it had begun.
    await make('c2');
    held[0]?.();
    expect((await first).names).toContain('c1');
    await turn();
    expect(held).toHaveLength(2);
    held[1]?.();
    for (const { names } of await Promise.all(herd)) expect(names).toEqual(['c1', 'c2']);
    expect(held).toHaveLength(2);
  });
});
