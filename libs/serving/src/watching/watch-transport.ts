import type { Status } from '@orch/machinery';
import { type Representation, weakMemo } from '@orch/resources';
import type { FrameEncoder, StreamError, WatchSink } from '@orch/watchcache';
import { http2StreamOf, isGone, type RequestContext } from '../http/context.js';
import { BARE, CHUNKS, type Framing, framesOf, MESSAGES } from './frames.js';
import { Http2WatchStream } from './http2-watch-stream.js';
import type { WatchOutputs } from './watch-output.js';
import { connectionOf, WatchStream } from './watch-stream.js';
import { checkHandshake, WebSocketWatch } from './web-socket-watch.js';

/** Receives the events of one watch. */
interface WatchResponse extends WatchSink {
  /**
   * Sends the head: from here on errors can only be events. Calls back once, when the client is gone. Must not retain
   * the request, as a watch lasts.
   */
  open(ctx: RequestContext, onClose: () => void): void;
}

/** Transport of a watch. */
interface WatchTransport {
  readonly response: WatchResponse;
  encoderOf(representation: Representation): FrameEncoder;
}

/** Encoders of the transports, one for each representation. `statusOf` returns the Status of an `ERROR` event. */
export function watchTransports(statusOf: (error: StreamError) => Status) {
  const encoders = (framing: Framing) =>
    weakMemo((representation: Representation) => framesOf(representation, framing, statusOf));
  const [chunks, bare, messages] = [encoders(CHUNKS), encoders(BARE), encoders(MESSAGES)];

  /**
   * Returns the transport of a request; undefined when its client is gone.
   * @throws StatusError 400 for an invalid WebSocket handshake
   */
  return async (
    ctx: RequestContext,
    contentType: string,
    outputs: WatchOutputs,
  ): Promise<WatchTransport | undefined> => {
    if (isGone(ctx)) return undefined;
    if (ctx.upgrade) {
      checkHandshake(ctx.req);
      return { response: new WebSocketWatch(ctx.upgrade, outputs), encoderOf: messages };
    }
    const stream = http2StreamOf(ctx);
    if (stream) return { response: new Http2WatchStream(stream, contentType, outputs), encoderOf: bare };
    const socket = await connectionOf(ctx);
    return socket && { response: new WatchStream(socket, contentType, outputs), encoderOf: chunks };
  };
}
