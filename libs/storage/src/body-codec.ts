/** A body as the database holds it, in two columns. */
export interface SplitBody {
  /** What servers of the release before store and read as the whole. */
  readonly body: Buffer;
  /** What it lacks of the whole; null when it is the whole. */
  readonly owners: Buffer | null;
}

/** Who owns which field of an object, taken out of its body on the way into the database and put back on the way out. */
export interface BodyCodec {
  /** Divides any body; what could not be put together again to the same bytes stays undivided. Never throws. */
  split(body: Buffer): SplitBody;
  /**
   * Puts together what `split` has divided, here or in a neighbouring release, and keeps no part of `owners`. Never throws:
   * with owners that it cannot read the body alone is the whole.
   */
  join(body: Buffer, owners: Buffer): Buffer;
}

/** Divides nothing; owners that others have stored are left out, and gone with the next write of the object. */
export const UNDIVIDED: BodyCodec = {
  split: (body) => ({ body, owners: null }),
  join: (body) => body,
};
