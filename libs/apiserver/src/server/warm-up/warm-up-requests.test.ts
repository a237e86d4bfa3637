import { type NamingProfile, namesOf } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { Received, SentRequest } from './warm-up-connection.js';
import { WARM_UP_OBJECTS } from './warm-up-objects.js';
import { WarmUpRequests } from './warm-up-requests.js';

let api: TestApi;
afterEach(() => api.close());

/** A connection that answers each request with what it has brought, or with a refusal. */
function connection(refuses: (sent: SentRequest) => boolean) {
  const sent: SentRequest[] = [];
  const send = async (request: SentRequest): Promise<Received> => {
    sent.push(request);
    return { code: refuses(request) ? 500 : 200, body: request.body ?? Buffer.alloc(0) };
  };
  return { sent, send, close: () => undefined };
}

/** Says yes so many times. */
function forTimes(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

describe.each<NamingProfile>(['orch', 'kubernetes'])('requests of a warm-up in the profile %s', (profile) => {
  test('are for each of its kinds, in both forms', async () => {
    api = await testApi({}, profile);
    const errors: unknown[] = [];
    const requests = new WarmUpRequests(api.served, namesOf(profile), (error) => errors.push(error));
    const { sent, ...own } = connection(() => false);
    await requests.run(own, 'a', forTimes(80));
    expect(errors).toEqual([]);
    expect(requests.answered).toBe(sent.length);
    const made = sent.filter(({ method }) => method === 'POST');
    const kinds = new Set(made.map(({ path, mediaType }) => `${path.split('/').at(-1)} ${mediaType}`));
    expect([...kinds].sort()).toEqual(
      WARM_UP_OBJECTS.flatMap(({ resource }) => [
        `${resource} application/json`,
        `${resource} ${namesOf(profile).protobufMediaType}`,
      ]).sort(),
    );
  });
});

test('a kind that is refused is left out, with one error; without any there is nothing to do', async () => {
  api = await testApi({}, 'orch');
  const errors: unknown[] = [];
  const requests = new WarmUpRequests(api.served, namesOf('orch'), (error) => errors.push(error));
  const noPods = connection(({ path }) => path.includes('/pods'));
  await requests.run(noPods, 'a', forTimes(200));
  expect(errors.map(String)).toEqual([
    expect.stringContaining('POST /api/v1/namespaces/default/pods was answered with 500'),
  ]);
  expect(noPods.sent.filter(({ path }) => path.includes('/pods'))).toHaveLength(1);
  await requests.run(
    connection(() => true),
    'b',
    () => true,
  );
  expect(errors).toHaveLength(WARM_UP_OBJECTS.length);
});
