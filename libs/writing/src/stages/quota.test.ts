import type { ApiObject } from '@orch/machinery';
import { namesOf } from '@orch/machinery';
import { Evaluators, termsOf } from '@orch/quota';
import type { Stored } from '@orch/resources';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuotaCharges } from '../charges/quota-charges.js';
import type { KnownQuota, QuotaIndex } from '../charges/quota-index.js';
import type { ChangeKind } from '../pipeline/write-request.js';
import type { Draft, StageTools } from './draft.js';
import { quota } from './quota.js';

let api: TestApi;
let tools: StageTools;
beforeAll(async () => {
  api = await testApi({}, 'kubernetes');
  const terms = termsOf({
    metadata: { name: 'q' },
    spec: { hard: { pods: '2' } },
    status: { hard: { pods: '2' } },
  } as ApiObject);
  const known: KnownQuota = { namespace: 'default', terms, binary: new Set(), uncounted: false };
  const index = { endpoint: api.endpoint('resourcequotas'), version: 7n, in: () => [known] } as unknown as QuotaIndex;
  const quotas = new QuotaCharges({ index, evaluators: new Evaluators(namesOf('kubernetes')), limits: true });
  tools = { quotas } as StageTools;
});
afterAll(() => api.close());

const LYING = { version: 3n, body: Buffer.from('{}') } as Stored;
const ALIVE = { metadata: { name: 'a' }, spec: {} } as ApiObject;
const marked = (deletionGracePeriodSeconds: number): ApiObject =>
  ({
    metadata: { name: 'a', deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds },
    spec: {},
  }) as ApiObject;

interface Given extends Partial<Pick<Draft, 'stored' | 'before' | 'wanted'>> {
  readonly changeKind?: ChangeKind;
}

function staged(operation: Draft['operation'], resource: string, given: Given, using = tools): Draft {
  const { changeKind, ...views } = given;
  const request = api.request(operation, resource, 'a', changeKind && { changeKind });
  const draft = { request, operation, wanted: ALIVE, account: undefined, charging: undefined, ...views } as Draft;
  quota(draft, using);
  return draft;
}
const charges = (operation: Draft['operation'], given: Given) =>
  staged(operation, 'pods', given).charging?.charges?.map(({ amounts, limited }) => [amounts, limited]);

describe('a write of what quotas count', () => {
  it.each([
    ['a creation', 'CREATE', {}, [[{ pods: '1' }, true]]],
    ['an update', 'UPDATE', { stored: LYING, before: ALIVE }, []],
    [
      'an update that removes it',
      'UPDATE',
      { stored: LYING, before: marked(0), wanted: marked(0) },
      [[{ pods: '-1' }, false]],
    ],
    ['a mark', 'DELETE', { stored: LYING, wanted: marked(30) }, undefined],
    ['a deletion', 'DELETE', { stored: LYING, wanted: marked(0) }, [[{ pods: '-1' }, false]]],
  ] as const)('is charged: %s', (_, operation, given, expected) => {
    expect(charges(operation, given)).toEqual(expected);
  });

  it('is planned with quotas as they are known', () => {
    expect(staged('CREATE', 'pods', {}).charging?.known).toBe(7n);
    expect(staged('CREATE', 'pods', {}, {} as StageTools)).toMatchObject({ account: undefined, charging: undefined });
  });
});

describe('a write of a quota', () => {
  const made = (used: object) =>
    ({ metadata: { name: 'a' }, spec: { hard: { pods: '5' } }, status: { used } }) as unknown as ApiObject;

  it('settles its status: what is used is what the server has counted', () => {
    const [said, counted] = ['usage', undefined].map((kind) => {
      const wanted = made({ pods: '4' });
      staged('UPDATE', 'resourcequotas', {
        wanted,
        stored: LYING,
        before: made({ pods: '1' }),
        changeKind: kind as 'usage',
      });
      return wanted;
    });
    expect([said?.status, counted?.status]).toEqual([
      { hard: { pods: '5' }, used: { pods: '4' } },
      { hard: { pods: '5' }, used: { pods: '1' } },
    ]);
  });

  it('is an account from then on, unless it is removed', () => {
    const before = made({});
    expect(staged('UPDATE', 'resourcequotas', { wanted: made({}), stored: LYING, before }).account?.old).toBe(before);
    expect(staged('CREATE', 'resourcequotas', { wanted: made({}) }).account).toMatchObject({ old: undefined });
    const waiting = { ...made({ pods: '3' }), ...{ metadata: marked(30).metadata } } as ApiObject;
    expect(staged('DELETE', 'resourcequotas', { wanted: waiting, stored: LYING }).account?.old).toBe(waiting);
    expect((waiting as { status?: object }).status).toEqual({ hard: { pods: '5' }, used: { pods: '3' } });
    const gone = { ...made({ pods: '3' }), metadata: marked(0).metadata } as ApiObject;
    expect(staged('DELETE', 'resourcequotas', { wanted: gone, stored: LYING }).account).toBeUndefined();
  });
});
