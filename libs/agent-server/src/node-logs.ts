import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { send } from '@orch/component-server';
import { StatusError } from '@orch/machinery';

/** Sends a file of a folder, or a list of a folder below it. Links that lead out of it are not followed. @throws StatusError 404 */
export async function sendNodeLog(folder: string, path: string, response: ServerResponse): Promise<void> {
  const root = await realpath(folder).catch(notFound);
  // Without blocking: it may be a pipe that nobody writes to.
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK).catch(notFound);
  try {
    await sendOpened(root, file, response);
  } finally {
    await file.close();
  }
}

/** Sends an open file or folder, if it is below the root: an open one stays the same, whatever its path leads to by now. */
async function sendOpened(root: string, file: FileHandle, response: ServerResponse): Promise<void> {
  const opened = `/proc/self/fd/${file.fd}`;
  const found = await readlink(opened);
  if (found !== root && !found.startsWith(`${root}${sep}`)) notFound();
  const stats = await file.stat();
  if (stats.isDirectory())
    return send(response, { contentType: 'text/html; charset=utf-8', body: await listOf(opened) });
  if (!stats.isFile()) notFound();
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  if (stats.size === 0) return void response.end();
  await pipeline(file.createReadStream({ start: 0, end: stats.size - 1, autoClose: false }), response);
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
