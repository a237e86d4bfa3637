export { decodeObject, type ProtobufLimits } from './decode-object.js';
export { encodeObject } from './encode-object.js';
export {
  type DecodedUnknown,
  decodeProtobufObject,
  decodeUnknown,
  encodeUnknown,
  type Unknown,
  type UnknownFrame,
  unknownFrame,
} from './envelope.js';
export { listFieldSize, listItemHead, listMetaHead } from './list.js';
export { ObjectCodec } from './object-codec.js';
export { ProtobufError } from './protobuf-error.js';
export { encodeWatchEvent } from './watch-event.js';
