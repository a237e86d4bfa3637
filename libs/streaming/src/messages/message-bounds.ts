/** Bounds on what a WebSocket keeps of a message that is not complete, as the library names them. */
interface MessageBounds {
  readonly maxPayload: number;
  readonly maxFragments: number;
  readonly maxBufferedChunks: number;
}

/** Bytes of a message for each fragment, and for each piece of the connection, that it may come in; and the least numbers. */
const [BYTES_PER_FRAGMENT, BYTES_PER_PIECE] = [4096, 512];
const [LEAST_FRAGMENTS, LEAST_PIECES] = [64, 1024];

/**
 * Bounds the messages of a client, and the number of parts that one may come in: each of them costs a hundred bytes, and may
 * keep the rest of the record in memory that it has come with. A client that exceeds them is left with the code 1009 or 1008.
 * @param maxPayload bytes of a message
 */
export const messageBounds = (maxPayload: number): MessageBounds => ({
  maxPayload,
  maxFragments: Math.max(LEAST_FRAGMENTS, Math.ceil(maxPayload / BYTES_PER_FRAGMENT)),
  maxBufferedChunks: Math.max(LEAST_PIECES, Math.ceil(maxPayload / BYTES_PER_PIECE)),
});
