import { expect, test } from 'vitest';
import { conformance, expectStatus } from './conformance.js';

conformance('Documents that have not changed [Discovery, OpenAPI]', ({ api, names }) => {
  const group = names.group('apidiscovery.orch.io');
  const aggregated = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`;
  const aggregatedProtobuf = `${names.protobufMediaType};g=${group};v=v2beta1;as=APIGroupDiscoveryList`;

  /** A document asked for with several tags while it stays what it is: other tests define kinds meanwhile. */
  async function answers(path: string, accept: string) {
    for (let attempt = 1; ; attempt++) {
      const first = expectStatus(await api.get(path, { accept }), 200);
      const { etag = '' } = first.headers;
      const withTag = (match: string) => api.get(path, { accept, 'if-none-match': match });
      const matching = await Promise.all([etag, `W/${etag}`, `"other", ${etag}`].map(withTag));
      const any = await withTag('*');
      const other = await withTag('"other"');
      if (other.headers.etag === etag || attempt === 10) return { first, matching, any, other };
    }
  }

  test.each([
    ['/api', aggregated],
    ['/apis', aggregated],
    ['/apis', aggregatedProtobuf],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ])('%s as %s is sent once', async (path, accept) => {
    const { first, matching, any, other } = await answers(path, accept);
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
    const whole = expectStatus(await api.get(path, { accept: 'application/json' }), 200);
    const { length } = whole.body;
    expect(whole.headers['accept-ranges']).toBe('bytes');
    const etag = String(whole.headers.etag);
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=5-', 5, length],
      ['bytes=-5', length - 5, length],
      [`bytes=5-${length + 5}`, 5, length],
    ] as const) {
      const headers = { accept: 'application/json', range, 'if-range': etag, 'accept-encoding': 'gzip' };
      const part = expectStatus(await api.get(path, headers), 206);
      expect(part.headers['content-range']).toBe(`bytes ${from}-${to - 1}/${length}`);
      expect(part.body.equals(whole.body.subarray(from, to))).toBe(true);
    }
    for (const range of [`bytes=${length}-`, 'bytes=9-5', 'bytes=-', 'bytes=x']) {
      const none = expectStatus(await api.get(path, { accept: 'application/json', range }), 416);
      expect(none.headers['content-range']).toBe(`bytes */${length}`);
    }
    const others: Record<string, string>[] = [
      { 'if-range': '"x"' },
      { range: 'lines=0-1' },
      { range: 'bytes=0-1,4-5' },
    ];
    for (const more of others) {
      const all = await api.get(path, { accept: 'application/json', range: 'bytes=0-9', ...more });
      expect(expectStatus(all, 200).body).toHaveLength(length);
    }
    const match = (value: string) => api.get(path, { accept: 'application/json', 'if-match': value });
    expectStatus(await match('"x"'), 412);
    for (const value of [etag, `"x", ${etag}`, '*']) expectStatus(await match(value), 200);
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
