import { randomBytes } from 'node:crypto';
import { link, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { shortPath } from './short-path.js';

/** A folder that is locked for this process until it is released, or until the process ends, for whatever reason. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process; returns undefined when a process holds it, this one included.
 *
 * Node has no flock(2), but a listening socket dies with its process as well. Sockets are numbered, and the highest
 * number counts: once it has no listener it never will have one again, and the process that creates the next number
 * holds the folder. The last socket is never removed, so a number is never reused.
 * @throws Error of the file system, as when sockets cannot be made in the folder
 */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const place = await shortPath(folder);
  for (;;) {
    const last = Math.max(0, ...(await numbers(place)));
    if (last > 0 && (await isHeld(join(place, nameOf(last))))) return undefined;
    const server = await makeSocket(place, last + 1);
    if (server === undefined) continue;
    // A process slower than two others could have made a number that was superseded long ago.
    if (Math.max(...(await numbers(place))) === last + 1) {
      await removeOthers(place, last + 1);
      return { release: () => void server.close() };
    }
    server.close();
  }
}

const PREFIX = 'lock.';
const nameOf = (number: number): string => `${PREFIX}${number}`;

async function numbers(place: string): Promise<number[]> {
  const names = await readdir(place);
  return names.flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(PREFIX.length))] : []));
}

function isHeld(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A missing socket was superseded: making the next one fails, and the folder is read again.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
  });
}

/** Undefined when the number is taken. The socket listens before it gets its name: without a listener it is dead. */
async function makeSocket(place: string, number: number): Promise<Server | undefined> {
  const unnamed = join(place, `${PREFIX}new-${randomBytes(4).toString('hex')}`);
  const server = createServer((socket) => socket.destroy()).unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(unnamed, resolve);
  });
  try {
    await link(unnamed, join(place, nameOf(number)));
    await rm(unnamed, { force: true });
    return server;
  } catch (error) {
    server.close();
    const { code } = error as NodeJS.ErrnoException;
    // EEXIST: the number is taken. ENOENT: another process has the folder by now, and has removed the temporary name.
    if (code === 'EEXIST' || code === 'ENOENT') return undefined;
    throw error;
  }
}

async function removeOthers(place: string, number: number): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(PREFIX) && name !== nameOf(number));
  await Promise.all(names.map((name) => rm(join(place, name), { force: true })));
}
