import { expect, test } from 'vitest';
import type { Answer } from '../support/api.js';
import { conformance, expectStatus } from './conformance.js';

/** A document changes only while another test file defines a kind. */
const ATTEMPTS = 10;

/** Ranges of a document, where each begins and where it ends. */
const rangesOf = (length: number) =>
  [
    ['bytes=0-9', 0, 10],
    ['bytes=5-', 5, length],
    ['bytes=-5', length - 5, length],
    [`bytes=5-${length + 5}`, 5, length],
  ] as const;

/** Answers of requests that are sent one after another. */
async function inTurn<T>(asked: readonly T[], ask: (one: T) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const one of asked) answers.push(await ask(one));
  return answers;
}

conformance('Documents that have not changed [Discovery, OpenAPI]', ({ api, names }) => {
  const group = names.group('apidiscovery.orch.io');
  const aggregated = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`;
  const aggregatedProtobuf = `${names.protobufMediaType};g=${group};v=v2beta1;as=APIGroupDiscoveryList`;

  /** Answers about one content of a document: other tests define kinds meanwhile, and then everything is asked for once more. */
  async function aboutOneContent<T>(path: string, accept: string, ask: (first: Answer) => Promise<T>) {
    for (let attempt = 1; ; attempt++) {
      const first = expectStatus(await api.get(path, { accept }), 200);
      const answers = await ask(first);
      const last = await api.get(path, { accept });
      if (last.headers.etag === first.headers.etag || attempt === ATTEMPTS) return { first, ...answers };
    }
  }

  test.each([
    ['/api', aggregated],
    ['/apis', aggregated],
    ['/apis', aggregatedProtobuf],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ])('%s as %s is sent once', async (path, accept) => {
    const { first, matching, any, other } = await aboutOneContent(path, accept, async ({ headers: { etag = '' } }) => {
      const withTag = (match: string) => api.get(path, { accept, 'if-none-match': match });
      const matching = await Promise.all([etag, `W/${etag}`, `"other", ${etag}`].map(withTag));
      return { matching, any: await withTag('*'), other: await withTag('"other"') };
    });
    const { etag = '', vary } = first.headers;
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(vary).toBe(path.startsWith('/openapi') ? 'Accept, Accept-Encoding' : 'Accept');
    if (accept.includes('as=')) expect(first.headers['cache-control']).toBe('public');
    for (const again of matching) {
      expectStatus(again, 304);
      expect(again.body).toHaveLength(0);
      expect(again.headers.etag).toBe(etag);
      expect(again.headers).not.toHaveProperty('content-type');
    }
    // As the reference takes it, which compares tags of discovery by themselves.
    expectStatus(any, path.startsWith('/openapi') ? 304 : 200);
    expect(expectStatus(other, 200).body.equals(first.body)).toBe(true);
  });

  test.each(['/api', '/apis', '/api/v1', '/version', '/livez'])('%s without a tag is sent each time', async (path) => {
    expectStatus(await api.get(path, { 'if-none-match': '*' }), 200);
  });

  test.each(['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/apps/v1'])('parts of %s are sent', async (path) => {
    const accept = 'application/json';
    const { first: whole, ...sent } = await aboutOneContent(path, accept, async ({ body: { length }, headers }) => {
      const etag = String(headers.etag);
      const get = (more: Record<string, string>) => api.get(path, { accept, ...more });
      const none = [`bytes=${length}-`, 'bytes=9-5', 'bytes=-', 'bytes=x'];
      const others: Record<string, string>[] = [
        { 'if-range': '"x"' },
        { range: 'lines=0-1' },
        { range: 'bytes=0-1,4-5' },
      ];
      const condition = { 'if-range': etag, 'accept-encoding': 'gzip' };
      return {
        parts: await inTurn(rangesOf(length), ([range]) => get({ range, ...condition })),
        none: await inTurn(none, (range) => get({ range })),
        others: await inTurn(others, (more) => get({ range: 'bytes=0-9', ...more })),
        unmatched: await get({ 'if-match': '"x"' }),
        matched: await inTurn([etag, `"x", ${etag}`, '*'], (match) => get({ 'if-match': match })),
      };
    });
    const { length } = whole.body;
    expect(whole.headers['accept-ranges']).toBe('bytes');
    for (const [index, [, from, to]] of rangesOf(length).entries()) {
      const part = expectStatus(sent.parts[index] as Answer, 206);
      expect(part.headers['content-range']).toBe(`bytes ${from}-${to - 1}/${length}`);
      expect(part.body.equals(whole.body.subarray(from, to))).toBe(true);
    }
    for (const none of sent.none) expect(expectStatus(none, 416).headers['content-range']).toBe(`bytes */${length}`);
    for (const all of sent.others) expect(expectStatus(all, 200).body).toHaveLength(length);
    expectStatus(sent.unmatched, 412);
    for (const answer of sent.matched) expectStatus(answer, 200);
  });

  test('parts of other answers are not', async () => {
    for (const path of ['/apis', '/version', '/metrics', '/api/v1/namespaces', '/api/v1/namespaces/default'])
      expectStatus(await api.get(path, { range: 'bytes=0-9' }), 200);
  });

  test('/api and /apis are other documents, and plain discovery has no tag', async () => {
    const tags = await Promise.all(
      ['/api', '/apis'].map(async (path) => (await api.get(path, { accept: aggregated })).headers.etag),
    );
    expect(new Set(tags).size).toBe(2);
    expect(expectStatus(await api.get('/apis', { accept: 'application/json' }), 200).headers).not.toHaveProperty(
      'etag',
    );
  });
});
