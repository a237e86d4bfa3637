import type { Allocation, Allocators } from '@orch/kinds';
import { type ApiObject, badRequest, type JsonObject } from '@orch/machinery';
import { withoutIdleTimes } from '@orch/merge';
import { filledBody, type Stored } from '@orch/resources';
import type { Key, Tally, TypeId } from '@orch/storage';
import { accountOf } from '../charges/quota-account.js';
import type { Draft } from '../stages/draft.js';
import { type ObjectLimits, sizeError } from '../stages/object-checks.js';
import { type AllocationOutcome, conclude } from './allocation-outcome.js';
import type { WritePlan } from './planned-write.js';
import { writtenBody } from './staged-versions.js';
import { createOp, formOf, isStoredAs, updateOp } from './write-ops.js';
import { UNWRITTEN, type WriteRequest } from './write-request.js';

/** Dependencies of the last steps before an object is stored. */
export interface KeepingTools {
  /** Size that an object may have. */
  readonly limits: ObjectLimits;
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  /** The same for dry runs: answers what could be given, and takes nothing. */
  readonly lookingAllocators: Allocators;
  /**
   * Whether an object is to be rewritten without a change of content, as it would be encrypted with another key now.
   * Default: none is.
   */
  readonly isOutdated?: ((type: TypeId, key: Key) => Promise<boolean>) | undefined;
}

/**
 * Plans the write of an object that remains afterwards: allocates its values, encodes it, and leaves out a write
 * without a change.
 * @throws StatusError 400, 413 and whatever allocators throw; nothing is held then
 */
export async function keeping(draft: Draft, tools: KeepingTools): Promise<WritePlan> {
  const { request, stored } = draft;
  refuseVersion(draft);
  const allocating = allocate(draft, tools);
  const allocation = allocating && (await allocating);
  const settle = (outcome: AllocationOutcome) => allocation && conclude(allocation, outcome);
  try {
    const written = writtenBody(request, contentOf(draft));
    const encoded = Buffer.isBuffer(written) ? written : await written;
    const { body, tally } = draft.account ? accountOf(encoded, draft.account) : { body: encoded, tally: undefined };
    refuseTooLarge(draft, body, tools.limits);
    await draft.turn();
    if (stored && request.changeKind !== 'usage' && isStoredAs(stored, request, body)) {
      if (!(await isOutdated(request, tools))) {
        await settle('dropped');
        return unchanged(request, stored, draft.wanted);
      }
    }
    return { ...changed(draft, body, tally), changesClaims: allocation?.changes ?? false, conclude: settle };
  } catch (error) {
    await settle('dropped');
    throw error;
  }
}

function changed(draft: Draft, body: Buffer, tally: Tally | undefined) {
  const { request, stored, wanted, charging } = draft;
  const written: Stored = { version: stored?.version ?? UNWRITTEN, body, ...formOf(draft) };
  const op = stored ? updateOp(draft, stored, body) : createOp(draft, body);
  const { endpoint } = request;
  return { endpoint, ops: [{ ...op, charging, tally }], written, answer: written, wanted, removed: false };
}

const unchanged = ({ endpoint }: WriteRequest, stored: Stored, wanted: ApiObject): WritePlan => ({
  endpoint,
  ops: [],
  written: stored,
  answer: stored,
  wanted,
  removed: false,
  changesClaims: false,
  conclude: () => undefined,
});

/** The object to be stored, with the old timestamps of managedFields where they are all that would change. */
const contentOf = ({ before, wanted }: Draft): ApiObject =>
  before ? (withoutIdleTimes(before as JsonObject, wanted as JsonObject) as ApiObject) : wanted;

/**
 * Refuses an object that is too large. A mark of deletion is the server's own, as its other writes are: an object that
 * could not be marked could not be deleted.
 * @throws StatusError 413
 */
function refuseTooLarge({ request, operation, stored }: Draft, body: Buffer, limits: ObjectLimits): void {
  if (operation === 'DELETE' || request.changeKind === 'internal') return;
  if (stored && body.length <= stored.body.length) return;
  const tooMuch = sizeError(body, limits, stored && (() => shownSize(stored, request)));
  if (tooMuch) throw tooMuch;
}

/** Size of the stored object as it is read, bytes: newer defaults may have made it larger than the stored body. */
const shownSize = (base: Stored, { endpoint: { form } }: WriteRequest): number => filledBody(base, form).length;

/** The store takes no new object that names a version; a dry run does not come that far. @throws StatusError 400 */
function refuseVersion({ request, namesVersion }: Draft): void {
  if (namesVersion && !request.options.dryRun) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}

/** Whether an unchanged object is to be rewritten; called only for writes that would change nothing else. */
const isOutdated = async ({ endpoint, key, options }: WriteRequest, tools: KeepingTools): Promise<boolean> =>
  !options.dryRun && tools.isOutdated !== undefined && tools.isOutdated(endpoint.type, key);

/**
 * Allocates the values that the object needs; a dry run holds none. A deletion allocates nothing, nor does a write that
 * leaves the spec as it is.
 */
function allocate(
  { request, operation, wanted, before }: Draft,
  tools: KeepingTools,
): Promise<Allocation | undefined> | undefined {
  if (operation === 'DELETE' || request.subresource !== '') return undefined;
  const { storageRules: rules } = request.endpoint;
  if (!request.options.dryRun) return rules.allocate(wanted, before, tools.allocators);
  return rules.allocate(wanted, before, tools.lookingAllocators)?.then(() => undefined);
}
