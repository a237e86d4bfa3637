import { once } from 'node:events';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import type { ExtensionServer } from '../../support/extension-server.js';
import { startExtensionServer } from '../../support/extension-server.js';
import type { Stage } from './stage.js';

const GROUP_VERSION = '/apis/example.com/v1';
/** A watch that begins with an event and then says nothing. */
export const QUIET_WATCH = `${GROUP_VERSION}/things?watch=1&timeoutSeconds=3600`;
/** A watch, and a request of another kind, that are taken and never answered. */
export const UNANSWERED_WATCH = `${GROUP_VERSION}/mute?watch=1&timeoutSeconds=3600`;
export const UNANSWERED_GET = `${GROUP_VERSION}/mute`;

const RESOURCES = { kind: 'APIResourceList', groupVersion: 'example.com/v1', resources: [] };

/** Starts a server for `example.com/v1` that can be reached from other machines, and says little. */
export const startQuietExtension = async (): Promise<ExtensionServer> => {
  const answer: ExtensionServer['answer'] = ({ url = '' }, res) => {
    if (url.startsWith(UNANSWERED_GET)) return;
    res.writeHead(200, { 'content-type': 'application/json' });
    if (url === QUIET_WATCH) res.write('{"type":"ADDED","object":{"n":1}}\n');
    else res.end(JSON.stringify(RESOURCES));
  };
  const extension = await startExtensionServer('things', 'default', answer, 0, '0.0.0.0');
  extension.upgrade = (_req, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  };
  return extension;
};

/** Registers what is at an address for `example.com/v1`; resolves when the api-servers reach it. */
export async function register(stage: Stage, host: string, port: number, caBundle: string): Promise<void> {
  const spec = { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, caBundle };
  const service = { namespace: 'default', name: 'things', port };
  await stage.api().post('/api/v1/namespaces/default/services', {
    metadata: { name: 'things' },
    spec: { type: 'ExternalName', externalName: host },
  });
  await stage.api().post('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.example.com' },
    spec: { ...spec, service },
  });
  for (const url of stage.cluster.apiServerUrls) {
    await stage.recovers('the extension server is reached', 60_000, async () => {
      return (await stage.api(url).get(`${GROUP_VERSION}/things`)).status === 200;
    });
  }
}

/** Goes on with another protocol over the extension server, by way of an api-server. */
export async function openUpgraded(stage: Stage, url: string): Promise<Socket> {
  const { ca, token } = stage.cluster;
  const headers = { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'echo' };
  const asked = request(new URL(`${GROUP_VERSION}/namespaces/a/things/x/exec`, url), { ca, headers, agent: false });
  asked.end();
  const [, socket] = (await once(asked, 'upgrade')) as [unknown, Socket];
  return socket.on('error', () => undefined).resume();
}
