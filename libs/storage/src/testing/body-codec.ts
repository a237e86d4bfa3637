import type { BodyCodec } from '../face/body-codec.js';

const START = '{"metadata":{';
const OWNED = `${START}"managedFields":["`;

/** A body with the owners that {@link APART} takes out of it, or without any. */
export const bodyOf = (text: string, owner?: string): Buffer =>
  Buffer.from(`${owner === undefined ? START : `${OWNED}${owner}"],`}"v":${JSON.stringify(text)}}}`);

const backwards = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

/** Stores the one owner in managedFields apart, backwards, so that nobody takes it for a piece of the body. */
export const APART: BodyCodec = {
  split(body) {
    const end = body.indexOf('"],');
    if (end < 0 || !body.subarray(0, OWNED.length).equals(Buffer.from(OWNED))) return { body, owners: null };
    const owners = backwards(body.subarray(OWNED.length, end));
    return { body: Buffer.concat([Buffer.from(START), body.subarray(end + 3)]), owners };
  },
  join: (body, owners) =>
    Buffer.concat([Buffer.from(OWNED), backwards(owners), Buffer.from('"],'), body.subarray(START.length)]),
};
