import { expect, test } from 'vitest';
import { conformance, expectStatus } from './conformance.js';

conformance('Documents that have not changed [Discovery, OpenAPI]', ({ api, names }) => {
  const group = names.group('apidiscovery.orch.io');
  const aggregated = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`;
  const aggregatedProtobuf = `${names.protobufMediaType};g=${group};v=v2beta1;as=APIGroupDiscoveryList`;

  test.each([
    ['/api', aggregated],
    ['/apis', aggregated],
    ['/apis', aggregatedProtobuf],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ])('%s as %s is sent once', async (path, accept) => {
    const first = expectStatus(await api.get(path, { accept }), 200);
    const { etag = '', vary } = first.headers;
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(vary).toBe(path.startsWith('/openapi') ? 'Accept, Accept-Encoding' : 'Accept');
    if (accept.includes('as=')) expect(first.headers['cache-control']).toBe('public');
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = expectStatus(await api.get(path, { accept, 'if-none-match': match }), 304);
      expect(again.body).toHaveLength(0);
      expect(again.headers.etag).toBe(etag);
      expect(again.headers).not.toHaveProperty('content-type');
    }
    const other = expectStatus(await api.get(path, { accept, 'if-none-match': '"other"' }), 200);
    expect(other.body.equals(first.body)).toBe(true);
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
