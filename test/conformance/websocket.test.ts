import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { WatchEvent } from '../support/watch-stream.js';
import { configMaps, conformance, createAll, list } from './conformance.js';

conformance('Watches over WebSockets [Transports]', ({ api, names, namespace }) => {
  /** A client as a browser is one: it can say what it speaks, and nothing else. */
  function open(path: string, protocols: readonly string[]) {
    const url = `${api.settings.url.replace('https', 'wss')}${path}`;
    const client = new WebSocket(url, [...protocols], { ...(api.settings.ca && { ca: api.settings.ca }) });
    const events: WatchEvent[] = [];
    client.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as WatchEvent));
    const closed = new Promise<number>((resolve) => client.once('close', resolve));
    const outcome = new Promise<number | undefined>((resolve) => {
      client.once('open', () => resolve(101));
      client.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    client.on('error', () => undefined);
    return { client, events, closed, outcome };
  }

  const token = () => {
    const encoded = Buffer.from(api.settings.token ?? '').toString('base64url');
    return `base64url.bearer.${names.group('authorization.orch.io')}.${encoded}`;
  };

  test('each event is a message, from where the client asked on', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['before']);
    const { metadata } = await list(api, configMaps(ns));
    const path = `${configMaps(ns)}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const { client, events, outcome } = open(path, ['base64.binary.k8s.io', token()]);
    expect(await outcome).toBe(101);
    expect(client.protocol).toBe('base64.binary.k8s.io');
    await createAll(api, ns, ['a', 'b', 'c']);
    await expect
      .poll(() => events.map(({ type, object }) => `${type} ${object.metadata.name}`))
      .toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    client.close();
  });

  test('timeoutSeconds closes in order', async () => {
    const path = `${configMaps(await namespace())}?watch=1&timeoutSeconds=1`;
    expect(await open(path, ['x', token()]).closed).toBe(1000);
  });

  test('without a token, and for what cannot be, the handshake is refused as any request is', async () => {
    const ns = await namespace();
    expect(await open(`${configMaps(ns)}?watch=1`, []).outcome).toBe(403);
    expect(await open(`${configMaps(ns)}?watch=1&resourceVersion=x`, ['x', token()]).outcome).toBe(400);
    expect(await open(`/api/v1/namespaces/${ns}/nosuch?watch=1`, ['x', token()]).outcome).toBe(404);
  });
});
