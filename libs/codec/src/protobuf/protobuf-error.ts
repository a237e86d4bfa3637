/** Thrown for bytes that are no message of the schema, and for values that have no binary form. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** Deepest nesting of messages that is read or written; the stack bounds it, not the format. */
export const MAX_MESSAGE_DEPTH = 400;

/** Returns the error for messages nested too deeply. */
export const tooDeep = () => new ProtobufError(`messages are nested deeper than ${MAX_MESSAGE_DEPTH}`);
