import type { ApiObject } from '@orch/machinery';

/** A form of objects other than JSON, which a server is asked for before JSON: `ObjectCodec` of `@orch/codec`. */
export interface BinaryForm {
  /** Media type: `application/vnd.kubernetes.protobuf`. */
  readonly mediaType: string;
  /** Encodes an object; undefined where it has no such form, and is sent as JSON. */
  encode(object: ApiObject): Buffer | undefined;
  /** Decodes a document to the object that JSON would have given. @throws Error */
  decode(bytes: Buffer): unknown;
  /** Decodes a frame of a watch, without its length. @throws Error */
  decodeEvent(frame: Buffer): { readonly type: string; readonly object: unknown };
}

/** Returns the `Accept` of requests for objects. */
export const acceptOf = (form: BinaryForm | undefined): string =>
  form ? `${form.mediaType},application/json` : 'application/json';

/** Whether an answer is in a form, by its `Content-Type`. */
export const isInForm = (form: BinaryForm | undefined, contentType: unknown): form is BinaryForm =>
  form !== undefined && typeof contentType === 'string' && contentType.split(';', 1)[0]?.trim() === form.mediaType;

/** Returns a value as JSON; integers beyond 2^53, which a binary form gives as bigint, with all their digits. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? rawJson(member.toString()) : member,
    );
  }
}

/** `JSON.rawJSON`, which the library's types do not have. */
const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
