import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { during } from './during.js';

const inflate = promisify(gunzip);

/** Body of an answer. */
export type AnswerBody = Dispatcher.ResponseData['body'];

/** Reads the whole body, decompressed: no more than `maxBytes`, 0 for no limit. @throws TransportError */
export function wholeBody(
  { body, headers }: Pick<Dispatcher.ResponseData, 'body' | 'headers'>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  return during(signal, async () => {
    const bytes = Buffer.from(await body.arrayBuffer());
    if (headers['content-encoding'] !== 'gzip' || bytes.length === 0) return bytes;
    return await inflate(bytes, maxBytes > 0 ? { maxOutputLength: maxBytes } : {});
  });
}
