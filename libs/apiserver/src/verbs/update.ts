import { conflict, ensureMetadata, StatusError } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { readBody } from '../http/read-body.js';
import { applyFieldValidation, bodyEncoding, decodeBody } from '../writing/decode-body.js';
import { namedVersion, requireUid } from '../writing/object-checks.js';
import { writeOptions } from '../writing/write-options.js';
import { sendObject } from './send-object.js';

/** PUT of an object or of one of its subresources of the same kind (`status`, `approval`, …). */
export async function update(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name, subresource } = call;
  const options = writeOptions(ctx.query, 'UpdateOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names);
  const bytes = await readBody(ctx.req, deps.limits.maxBodyBytes);
  ctx.trail?.mark('received');
  const { object, problems } = await decodeBody(deps, bytes, encoding, endpoint.definition);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings);
  const request = {
    endpoint,
    key: { namespace, name },
    subresource,
    dryRun: options.dryRun,
    bytes: bytes.length,
    origin: ctx.trail,
  };
  try {
    // The writer may ask more than once and owns what it is given.
    const namesVersion = namedVersion(object) !== '';
    const { stored } = await deps.writer.update({ ...request, namesVersion }, (current) => {
      requireUid(endpoint, object, current);
      return structuredClone(object);
    });
    await sendObject(ctx, 200, representation, stored);
  } catch (error) {
    const creates = endpoint.storageRules.createOnUpdate && subresource === '';
    if (!creates || !(error instanceof StatusError) || error.code !== 404) throw error;
    const meta = ensureMetadata(object);
    // A uid says which object is meant, and that one is gone.
    if (meta.uid) {
      const broken = `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: `;
      throw conflict(endpoint.groupResource, name, broken);
    }
    await sendObject(ctx, 201, representation, await deps.writer.create(request, object));
  }
}
