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
      const matching = await Promise.all([etag, `W/${etag}`, `"other", ${etag}`, '*'].map(withTag));
      const other = await withTag('"other"');
      if (other.headers.etag === etag || attempt === 10) return { first, matching, other };
    }
  }

  test.each([
    ['/api', aggregated],
    ['/apis', aggregated],
    ['/apis', aggregatedProtobuf],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ])('%s as %s is sent once', async (path, accept) => {
    const { first, matching, other } = await answers(path, accept);
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
    expect(expectStatus(other, 200).body.equals(first.body)).toBe(true);
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
