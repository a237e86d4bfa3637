/** Kinds of values on the wire (protobuf encoding, "Message Structure"). */
export const VARINT = 0;
/** Wire type of a value of eight bytes. */
export const FIXED64 = 1;
/** Wire type of a value behind its length: bytes, text, message or packed list. */
export const LENGTH_DELIMITED = 2;
/** Wire type that starts a group (deprecated in protobuf). */
export const START_GROUP = 3;
/** Wire type that ends a group. */
export const END_GROUP = 4;
/** Wire type of a value of four bytes. */
export const FIXED32 = 5;

/** Returns the tag of a value: its field number and wire type. */
export const tagOf = (fieldNumber: number, wireType: number): number => fieldNumber * 8 + wireType;
