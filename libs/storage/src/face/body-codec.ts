/** A body in the two columns of the database. */
export interface SplitBody {
  /** The part that servers of the previous release store and read as the whole body. */
  readonly body: Buffer;
  /** The part of the whole that `body` lacks; null when `body` is the whole. */
  readonly owners: Buffer | null;
}

/** Splits a body from the owners of its fields on its way into the database, and joins them on its way out. */
export interface BodyCodec {
  /** Divides any body; what could not be put together again to the same bytes stays undivided. Never throws. */
  split(body: Buffer): SplitBody;
  /**
   * Joins what `split` has divided, here or in a neighbouring release, and keeps no reference to `owners`. Never
   * throws: when `owners` cannot be read, the body alone is the whole.
   */
  join(body: Buffer, owners: Buffer): Buffer;
}

/** Divides nothing; separately stored owners are dropped, and gone with the next write of the object. */
export const UNDIVIDED: BodyCodec = {
  split: (body) => ({ body, owners: null }),
  join: (body) => body,
};
