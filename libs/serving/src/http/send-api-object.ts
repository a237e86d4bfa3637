import { encodeObject, encodeUnknown, stringifyJson, stringifyYaml } from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import type { Representations } from '@orch/resources';
import { fullObject, type StructSchema } from '@orch/schema';
import type { RequestContext } from './context.js';
import { prettyIfRequested } from './pretty.js';
import { sendBytes } from './respond.js';

/** Encoders for a response. */
interface ApiObjectSending {
  readonly names: Names;
  readonly representations: Representations;
}

/**
 * Responds with an object that is not stored as such (Scale, reviews), in an encoding that the client accepts. @throws
 * StatusError 406
 */
export async function sendApiObject(
  { names, representations }: ApiObjectSending,
  ctx: RequestContext,
  code: number,
  schema: StructSchema,
  sent: ApiObject,
): Promise<void> {
  const object = fullObject(schema, sent);
  switch (representations.plain(ctx.req.headers.accept)) {
    case 'protobuf': {
      const { apiVersion = '', kind = '' } = object;
      const body = encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, object) });
      return sendBytes(ctx, code, names.protobufMediaType, Buffer.from(body));
    }
    case 'yaml':
      return sendBytes(ctx, code, 'application/yaml', Buffer.from(stringifyYaml(object)));
    case 'json':
      return sendBytes(
        ctx,
        code,
        'application/json',
        await prettyIfRequested(ctx, 'application/json', Buffer.from(stringifyJson(object))),
      );
  }
}
