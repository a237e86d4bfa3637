import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { StatusError } from '@orch/machinery';
import type { RequestContext } from './context.js';

export const tooLarge = (limit: number) =>
  new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

const endedEarly = () => new StatusError('BadRequest', 'the request body ended early');

/**
 * The whole body, up to a limit.
 * @throws StatusError 413 above the limit, 429 when too many bytes of bodies are here, 415 for an encoded body, 400 when the client cuts it off
 */
export async function readBody(ctx: Pick<RequestContext, 'req' | 'holdBody'>, limit: number): Promise<Buffer> {
  const { req } = ctx;
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new StatusError('UnsupportedMediaType', `content encoding ${JSON.stringify(encoding)} is not supported`);
  }
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  // Nothing more is heard of a request whose connection was cut before.
  if (wasCut(req)) throw endedEarly();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        ctx.holdBody(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        req.removeAllListeners('data').resume();
        reject(error);
      }
    });
    req.on('end', () => {
      // Over HTTP/2 a body that was cut ends like a whole one.
      if (req.aborted) reject(endedEarly());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    });
    req.on('error', () => reject(endedEarly()));
    req.on('close', () => {
      // Every request is closed in the end, and an error for nobody costs a stack trace.
      if (!req.readableEnded) reject(endedEarly());
    });
  });
}

function wasCut(req: IncomingMessage): boolean {
  const { stream } = req as unknown as Partial<Http2ServerRequest>;
  return (req.destroyed && !req.readableEnded) || stream?.destroyed === true;
}
