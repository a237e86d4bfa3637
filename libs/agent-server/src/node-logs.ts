import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { send } from '@orch/component-server';
import { StatusError } from '@orch/machinery';

/** Sends a file of a folder, or a list of a folder below it. Links that lead out of it are not followed. @throws StatusError 404 */
export async function sendNodeLog(folder: string, path: string, response: ServerResponse): Promise<void> {
  const root = await realpath(folder).catch(notFound);
  const found = await realpath(join(root, path)).catch(notFound);
  if (found !== root && !found.startsWith(`${root}${sep}`)) notFound();
  const file = await stat(found).catch(notFound);
  if (file.isDirectory()) return send(response, { contentType: 'text/html; charset=utf-8', body: await listOf(found) });
  if (!file.isFile()) notFound();
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  if (file.size === 0) return void response.end();
  await pipeline(createReadStream(found, { end: file.size - 1 }), response);
}

function notFound(): never {
  throw new StatusError('NotFound', '404 page not found\n');
}

async function listOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const links = names.map(
    (name) => `<a href="${encodeURIComponent(name).replaceAll('%2F', '/')}">${escaped(name)}</a>\n`,
  );
  return `<pre>\n${links.join('')}</pre>\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
