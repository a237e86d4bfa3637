import type { SelectedPlugins } from '@orch/admission';
import { type ApiObject, ensureMetadata } from '@orch/machinery';
import {
  asItLies,
  bodyOf,
  type Endpoint,
  fillAhead,
  fromStored,
  inServedVersion,
  type Stored,
  toStoredBody,
} from '@orch/resources';
import type { Draft } from '../stages/draft.js';
import type { WritePlan } from './planned-write.js';
import type { WriteRequest } from './write-request.js';

/**
 * Whether a write works on the object in the version that it is stored in. A deletion marks fields that are the same in
 * all versions: so what the server itself removes needs no conversion, whose webhook may be gone.
 */
export const marksAsItLies = ({ operation, endpoint }: Pick<WriteRequest, 'operation' | 'endpoint'>): boolean =>
  operation === 'DELETE' && endpoint.stage !== undefined;

/**
 * Converts the stored object to the served version, where a webhook has to and a stage reads it.
 * @throws StatusError 500 where it cannot be converted
 */
export function readable(
  request: WriteRequest,
  base: Stored,
  { mutating, validating }: SelectedPlugins,
): Stored | Promise<Stored> {
  if (!request.endpoint.stage) return fillAhead(base, request.endpoint.form)?.then(() => base) ?? base;
  const isLookedAt = !marksAsItLies(request) || mutating.length + validating.length > 0;
  return isLookedAt ? inServedVersion(request.endpoint, base) : base;
}

/** Decodes the current object that a change starts from. @param read as {@link readable} has made it */
export function liveObject(request: WriteRequest, base: Stored, read: Stored): ApiObject {
  const { endpoint } = request;
  if (!marksAsItLies(request)) return fromStored(read, endpoint);
  const object = asItLies(base, endpoint.form, endpoint.definition.kind);
  ensureMetadata(object).resourceVersion = String(base.version);
  return object;
}

/** The body that is written of an object. @throws StatusError 500 */
export function writtenBody(request: WriteRequest, object: ApiObject): Buffer | Promise<Buffer> {
  const { endpoint } = request;
  if (!endpoint.stage) return toStoredBody(object, endpoint);
  return marksAsItLies(request) ? bodyOf(object) : endpoint.stage.toStorage(object).then(bodyOf);
}

/** Stored form of a body that a deletion has marked without a conversion. */
export function asBefore({ form }: Endpoint, base: Stored): Pick<Stored, 'storedVersion' | 'defaults'> {
  const storedVersion = form.versionOf(base);
  return { storedVersion, defaults: form.defaultsOf(storedVersion) };
}

/**
 * Adds to a plan the object for the response, converted. Where that fails nothing is written.
 * @throws StatusError 500
 */
export async function answered({ request, stored, storedServed }: Draft, plan: WritePlan): Promise<WritePlan> {
  if (request.hints?.unanswered) return plan;
  if (storedServed && plan.written === stored && !marksAsItLies(request)) return { ...plan, answer: storedServed };
  try {
    return { ...plan, answer: await inServedVersion(request.endpoint, plan.written) };
  } catch (error) {
    await plan.conclude('dropped');
    throw error;
  }
}
