import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { MANIFEST_TYPE } from '../image.js';

/** Where the registry listens, within the namespaces of a run. */
export const REGISTRY_PORT = 5000;
/** Host whose images it has. */
export const REGISTRY_HOST = 'registry.k8s.io';

/** File of a folder of images that maps names to the digests of their manifests. */
export const namesFile = (folder: string): string => join(folder, 'names.json');

const REQUEST = /^\/v2\/(?<name>[\w./-]+)\/(?<what>manifests|blobs)\/(?<reference>[\w.:-]+)$/;

/**
 * Serves a folder of images to whoever pulls: cases pull always, so that images which are only imported do not do. All tags
 * of a name are the one image.
 */
export function startRegistry(folder: string): Promise<() => void> {
  const names = JSON.parse(readFileSync(namesFile(folder), 'utf8')) as Record<string, string>;
  const server = createServer((req, res) => answer(folder, names, req, res));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(REGISTRY_PORT, '127.0.0.1', () => resolve(() => void server.close()));
  });
}

function answer(folder: string, names: Record<string, string>, req: IncomingMessage, res: ServerResponse): void {
  const [path = ''] = (req.url ?? '').split('?');
  if (path === '/v2/') return void res.setHeader('Content-Type', 'application/json').end('{}');
  const { name = '', what = '', reference = '' } = REQUEST.exec(path)?.groups ?? {};
  const digest = reference.startsWith('sha256:') ? reference : names[name];
  const file = join(folder, 'blobs', digest?.replace(/^sha256:/, '') ?? '');
  if (digest === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest) || !existsSync(file)) {
    const error = { code: 'MANIFEST_UNKNOWN', message: 'not found' };
    res.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify({ errors: [error] }));
    return;
  }
  res.writeHead(200, {
    'Content-Type': what === 'manifests' ? MANIFEST_TYPE : 'application/octet-stream',
    'Content-Length': statSync(file).size,
    'Docker-Content-Digest': digest,
  });
  if (req.method === 'HEAD') res.end();
  else createReadStream(file).pipe(res);
}
