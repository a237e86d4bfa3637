import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { RuntimeContainerStatus } from '@orch/container-runtime';
import type { ContainerFacts } from './labels.js';

/** Limits of a message: bytes of the file, and bytes and lines of the end of a log. */
const MAX_FILE = 4096;
const MAX_LOG = 2048;
const MAX_LINES = 80;

/** Returns the message of a container that has ended: from its file, or the end of its log if it failed without one. */
export async function terminationMessage(status: RuntimeContainerStatus, facts: ContainerFacts): Promise<string> {
  const place = status.mounts.find(({ containerPath }) => containerPath === facts.messagePath)?.hostPath;
  const written = place === undefined || facts.messagePath === '' ? '' : await endOf(place, MAX_FILE);
  if (written !== '' || !facts.usesLog || status.exitCode === 0) return joined(status.message, written);
  return joined(status.message, await endOfLog(status.logPath));
}

const joined = (message: string, more: string): string =>
  message === '' || more === '' ? `${message}${more}` : `${message}: ${more}`;

/** Reads the last bytes of a file; empty if it cannot be read: then there is no message. */
async function endOf(path: string, bytes: number): Promise<string> {
  try {
    // A volume may be mounted there, with a pipe that would have the reader wait, or a device.
    if (!(await stat(path)).isFile()) return '';
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      const length = Math.min(size, bytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead).toString();
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** Returns the last lines of a log, without what the runtime has added to them. */
async function endOfLog(path: string): Promise<string> {
  // Each line has some 45 bytes more than it shows.
  const lines = (await endOf(path, MAX_LOG + MAX_LINES * 64)).split('\n').filter((line) => line !== '');
  const texts = lines.slice(-MAX_LINES).flatMap((line) => {
    const [, tag = '', text = ''] = /^\S+ (?:stdout|stderr) ([FP])\S* (.*)$/s.exec(line) ?? [];
    return tag === '' ? [] : [tag === 'P' ? text : `${text}\n`];
  });
  return Buffer.from(texts.join('')).subarray(-MAX_LOG).toString();
}
