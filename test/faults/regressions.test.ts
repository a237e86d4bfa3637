import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

let server: Standalone;
let api: Api;

beforeAll(async () => {
  server = await startStandalone();
  api = new Api(server);
});

afterAll(async () => {
  api.close();
  await server.stop();
});

const EVENTS = '/api/v1/namespaces/default/events';
const event = (metadata: object) => ({
  metadata: { name: 'gone', namespace: 'default', ...metadata },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Started',
});

test('PUT creates what it may create, but not in the place of the object whose uid it names', async () => {
  const refused = await api.put(`${EVENTS}/gone`, event({ uid: '11111111-1111-1111-1111-111111111111' }));
  expect(refused.status).toBe(409);
  expect((await api.get(`${EVENTS}/gone`)).status).toBe(404);
  expect((await api.put(`${EVENTS}/gone`, event({}))).status).toBe(201);
});
