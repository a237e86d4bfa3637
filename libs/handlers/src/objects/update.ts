import { type ApiObject, conflict } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type RequestContext, type ResourceCall, readBody, sendObject } from '@orch/serving';
import { callerOf, type Modification, namedVersion, requireUid } from '@orch/writing';
import { applyFieldValidation, bodyEncoding, decodeBody, readingOf } from '../bodies/decode-body.js';
import { firstAsItIs } from '../bodies/first-as-it-is.js';
import { writeOptions } from '../bodies/write-options.js';
import type { ApiDeps } from '../deps.js';

/** PUT of an object or of one of its subresources of the same kind (`status`, `approval`, …). */
export async function update(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name, subresource } = call;
  const options = writeOptions(ctx.query, 'UpdateOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names, endpoint.model);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const reading = readingOf(deps, ctx);
  const { object, problems } = await decodeBody(reading, bytes, encoding, endpoint.model);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings, endpoint.model);
  const again = async () => (await decodeBody(reading, bytes, encoding, endpoint.model)).object;
  const sent = firstAsItIs(object, again);
  const creates = endpoint.storageRules.createOnUpdate && subresource === '';
  const { stored, created } = await deps.pipeline.write(
    {
      operation: 'UPDATE',
      endpoint,
      key: { namespace, name },
      subresource,
      caller: callerOf(ctx),
      options,
      changeKind: 'replace',
      hints: { namesVersion: namedVersion(object) !== '', bytes: bytes.length },
    },
    replacement(endpoint, name, sent, creates && (() => ctx.authorize({ ...ctx.info, verb: 'create' }))),
  );
  await sendObject(ctx, created ? 201 : 200, representation, stored);
}

/** Returns the modification that replaces the stored object, or creates it where the kind allows that. */
function replacement(
  endpoint: Endpoint,
  name: string,
  sent: () => ApiObject | Promise<ApiObject>,
  mayCreate: false | (() => Promise<void>),
): Modification {
  return {
    change(current) {
      const wanted = sent();
      if (wanted instanceof Promise) return wanted.then((again) => meant(endpoint, again, current));
      return meant(endpoint, wanted, current);
    },
    ...(mayCreate && {
      async create() {
        await mayCreate();
        const wanted = await sent();
        const uid = wanted.metadata?.uid ?? '';
        if (uid === '') return wanted;
        // The uid names an object that does not exist any more.
        const broken = `Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
        throw conflict(endpoint.groupResource, name, broken);
      },
    }),
  };
}

/** @throws StatusError 409 when the sent object has the uid of another */
function meant(endpoint: Endpoint, wanted: ApiObject, current: ApiObject): ApiObject {
  requireUid(endpoint, wanted, current);
  return wanted;
}
