/** Kinds of values on the wire (protobuf encoding, "Message Structure"). */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

/** Returns the tag of a value: its field number and wire type. */
export const tagOf = (fieldNumber: number, wireType: number): number => fieldNumber * 8 + wireType;
