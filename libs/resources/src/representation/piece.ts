import type { Deflated } from './deflate.js';

/** Part of a body that is shared with other responses, and may be encoded already. */
export interface SharedPiece {
  /** Approximate length of the bytes. */
  readonly size: number;
  bytes(): Buffer;
  deflated(): Promise<Deflated>;
}

/**
 * Bounds on the bytes of a page that is encoded as a whole, to be shared: worth sharing, and no more than may be held
 * at once.
 */
const SHARED_FROM_BYTES = 16 * 1024;
const SHARED_UP_TO_BYTES = 2 * 1024 * 1024;

/** Whether a page of so many bytes is encoded as a whole, to be shared. */
export const isShareable = (bytes: number): boolean => bytes >= SHARED_FROM_BYTES && bytes <= SHARED_UP_TO_BYTES;

/** Part of a body. */
export type Piece = Buffer | SharedPiece;

/** Returns the bytes of a piece, which is encoded first if necessary. */
export const bytesOf = (piece: Piece): Buffer => (Buffer.isBuffer(piece) ? piece : piece.bytes());
/** Length of a piece in bytes; approximate for a shared piece, which is not encoded for this. */
export const sizeOf = (piece: Piece): number => (Buffer.isBuffer(piece) ? piece.length : piece.size);

/** Joins the pieces of a body into one buffer. */
export async function gathered(pieces: AsyncIterable<Piece>): Promise<Buffer> {
  const whole: Buffer[] = [];
  for await (const piece of pieces) whole.push(bytesOf(piece));
  return Buffer.concat(whole);
}
