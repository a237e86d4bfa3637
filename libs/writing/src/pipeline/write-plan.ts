import type { Operation } from '@orch/admission';
import type { Allocation, Allocators } from '@orch/kinds';
import { type ApiObject, badRequest, conflict, copy, type JsonObject, STALE_WRITE } from '@orch/machinery';
import { withoutIdleTimes } from '@orch/merge';
import { filledBody, lengthSoFar, type Stored } from '@orch/resources';
import { turnFor } from '@orch/runtime/work';
import type { CreateOp, DeleteOp, Key, Tally, TypeId, UpdateOp, WriteOp } from '@orch/storage';
import { accountOf, type QuotaWrite, settleStatus } from '../charges/quota-account.js';
import type { QuotaCharges } from '../charges/quota-charges.js';
import type { Draft, StageTools } from '../stages/draft.js';
import { isGone, namedVersion, sizeError } from '../stages/object-checks.js';
import { STAGES } from '../stages/stages.js';
import { conclude, type Fate, giveBack } from './allocation-fate.js';
import type { WritePlan } from './planned-write.js';
import type { RequestedWrite } from './requested-write.js';
import { sameBody } from './same-body.js';
import { answered, asBefore, liveObject, marksAsItLies, readable, writtenBody } from './staged-versions.js';
import { type Change, type Creation, type Turn, UNWRITTEN, type WriteRequest } from './write-request.js';

export interface PlanTools extends StageTools {
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  /** The same for dry runs: answers what could be given, and takes nothing. */
  readonly lookingAllocators: Allocators;
  /** Computes quota charges. Default: nothing is charged. */
  readonly quotas?: QuotaCharges | undefined;
  /** Whether an object is to be written anew though it says the same, as it is encrypted with another key now. Default: none is. */
  readonly isOutdated?: ((type: TypeId, key: Key) => Promise<boolean>) | undefined;
}

/**
 * Makes of a base what is to be written: the change, the stages, then what is allocated. Writes no object, and of a dry run
 * takes nothing either.
 * @param write what is asked for
 * @param base as read, or with the version {@link UNWRITTEN} the result of another plan; undefined where there is nothing
 * @throws StatusError 400, 403, 409, 413, 422 and what the change and admission throw
 */
export async function planWrite(write: RequestedWrite, base: Stored | undefined, tools: PlanTools): Promise<WritePlan> {
  const { request } = write;
  const draft = await begin(write, base);
  for (const stage of STAGES[draft.operation]) {
    const wait = stage(draft, tools) ?? draft.turn();
    if (wait) await wait;
  }
  const isRemoved = base && isGone(draft.wanted, request.endpoint);
  const plan = isRemoved ? await removal(draft, base, tools) : await keeping(draft, tools);
  return request.endpoint.stage ? answered(draft, plan) : plan;
}

/** Yields between steps of work, depending on the sizes of the request and the stored object. */
const turnsOf =
  ({ hints, endpoint: { form } }: WriteRequest, base: Stored | undefined): Turn =>
  () =>
    turnFor((hints?.bytes ?? 0) + (base ? lengthSoFar(base, form) : 0));

/** The change itself. */
async function begin(write: RequestedWrite, base: Stored | undefined): Promise<Draft> {
  const {
    request,
    make: { change, create },
  } = write;
  const operation: Operation = base ? request.operation : 'CREATE';
  const plugins = write.plugins(operation);
  const turn = turnsOf(request, base);
  // Many that were waiting for one reading of the database go on at the same time.
  const wait = turn();
  if (wait) await wait;
  const reading = base && readable(request, base, plugins);
  const storedServed = reading instanceof Promise ? await reading : reading;
  const live = base && storedServed && liveObject(request, base, storedServed);
  await turn();
  const own = live && workingCopy(request, live);
  await turn();
  const wasTerminating = own?.metadata?.deletionTimestamp !== undefined;
  const made = own && storedServed ? (change as Change)(own, turn, storedServed) : (create as Creation)();
  const wantedServed = made instanceof Promise ? await made : made;
  await turn();
  if (base && operation === 'UPDATE') checkVersion(request, wantedServed, base);
  const before = operation === 'UPDATE' ? live : undefined;
  const views = { stored: base, storedServed, before, wantedServed, wanted: wantedServed };
  return { request, operation, ...views, wasTerminating, plugins, owners: [], admitted: false, turn };
}

/** The live object for a change to work on. A deletion marks the object itself: nobody asks how it was before but plugins. */
function workingCopy({ endpoint, operation, changeKind }: WriteRequest, live: ApiObject): ApiObject {
  if (operation === 'DELETE' || changeKind === 'replace') return live;
  const own = copy(live);
  return endpoint.conversion ? endpoint.conversion.toServed(own) : own;
}

/** An object that names a version means that one, and no write that is still to be made. @throws StatusError 409 */
function checkVersion({ endpoint, key }: WriteRequest, served: ApiObject, { version }: Stored): void {
  const named = namedVersion(served);
  if (named === '' || (version !== UNWRITTEN && named === String(version))) return;
  throw conflict(endpoint.groupResource, key.name, STALE_WRITE);
}

/** Keeps the old timestamps of managedFields where they are all that would change. */
const idleTimesKept = (old: ApiObject, object: ApiObject) =>
  withoutIdleTimes(old as JsonObject, object as JsonObject) as ApiObject;

/** An object that is there afterwards. */
async function keeping(draft: Draft, tools: PlanTools): Promise<WritePlan> {
  const { request, stored: base, wanted, before } = draft;
  refuseVersion(draft);
  const allocating = allocate(draft, tools);
  const allocation = allocating && (await allocating);
  const settle = (fate: Fate) => allocation && conclude(allocation, fate);
  const quota = tools.quotas?.isQuota(request.endpoint) ? quotaWrite(draft, tools.quotas) : undefined;
  let body: Buffer;
  let tally: Tally | undefined;
  try {
    if (quota) settleStatus(quota);
    const written = writtenBody(request, before ? idleTimesKept(before, wanted) : wanted);
    body = Buffer.isBuffer(written) ? written : await written;
    if (quota) ({ body, tally } = accountOf(body, quota));
  } catch (error) {
    await settle('dropped');
    throw error;
  }
  // What a deletion adds is the server's own, as its other writes are; what could not be marked could not be deleted.
  const isOwn = draft.operation === 'DELETE' || request.changeKind === 'internal';
  const isSmaller = base !== undefined && body.length <= base.body.length;
  const tooMuch =
    isOwn || isSmaller ? undefined : sizeError(body, tools.limits, base && (() => shownSize(base, request)));
  if (tooMuch) {
    await settle('dropped');
    throw tooMuch;
  }
  await draft.turn();
  const version = base?.version ?? UNWRITTEN;
  if (
    base &&
    request.changeKind !== 'usage' &&
    isStoredAs(base, request, body) &&
    !(await isOutdated(request, tools))
  ) {
    await settle('dropped');
    return {
      ops: [],
      written: base,
      answer: base,
      wanted,
      removed: false,
      changesClaims: false,
      conclude: () => undefined,
    };
  }
  const written = { version, body, ...formOf(draft) };
  return {
    ops: [{ ...(base ? updateOp(draft, base, body) : createOp(draft, body)), ...charged(draft, tools), tally }],
    written,
    answer: written,
    wanted,
    removed: false,
    changesClaims: allocation?.changes ?? false,
    conclude: settle,
  };
}

/** Bytes of what is there as it is read: younger defaults may have made it larger than what is stored. */
const shownSize = (base: Stored, { endpoint: { form } }: WriteRequest): number => filledBody(base, form).length;

/** The store takes no new object that names a version; a dry run does not come that far. @throws StatusError 400 */
function refuseVersion({ request, namesVersion }: Draft): void {
  if (namesVersion && !request.options.dryRun) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}

/** A quota that is deleted and stays for now is as it was. */
const quotaWrite = ({ request, wanted, before, stored }: Draft, quotas: QuotaCharges): QuotaWrite => ({
  object: wanted,
  old: before ?? (stored && wanted),
  subresource: request.subresource,
  counted: quotas.believes(request),
});

/** Computes the quota charge of a write. Marking an object as deleted changes none. */
function charged({ request, operation, wanted, before }: Draft, { quotas }: PlanTools): Pick<WriteOp, 'charging'> {
  if (!quotas || operation === 'DELETE') return {};
  const { endpoint, key, subresource } = request;
  const { namespace } = key;
  return { charging: quotas.of({ endpoint, namespace, operation, subresource, before, after: wanted }) };
}

/** Whether nothing is to be written. What lies there in another version is written anew, though it says the same. */
const isStoredAs = (base: Stored, request: WriteRequest, body: Buffer): boolean =>
  liesAsWritten(base, request) && sameBody(base.body, body);

/** Asked only where nothing else is to be written. */
const isOutdated = async ({ endpoint, key, options }: WriteRequest, tools: PlanTools): Promise<boolean> =>
  !options.dryRun && tools.isOutdated !== undefined && tools.isOutdated(endpoint.type, key);

const liesAsWritten = (base: Stored, request: WriteRequest): boolean =>
  marksAsItLies(request) || request.endpoint.form.versionOf(base) === request.endpoint.form.version;

/** Takes what the object needs; of a dry run nothing is to be given back. A deletion takes nothing, nor does what leaves the spec as it is. */
function allocate(
  { request, operation, wanted, before }: Draft,
  tools: PlanTools,
): Promise<Allocation | undefined> | undefined {
  if (operation === 'DELETE' || request.subresource !== '') return undefined;
  const { storageRules: rules } = request.endpoint;
  if (!request.options.dryRun) return rules.allocate(wanted, before, tools.allocators);
  return rules.allocate(wanted, before, tools.lookingAllocators)?.then(() => undefined);
}

/** Writing the last state of an object out of existence. */
async function removal(draft: Draft, base: Stored, { allocators, quotas }: PlanTools): Promise<WritePlan> {
  const { request, wanted, operation } = draft;
  // An update may change what the object holds and let it go at once: it holds what it did before.
  const holder = draft.before ?? wanted;
  const { endpoint, key, subresource } = request;
  const isMarked = operation !== 'DELETE' || draft.wasTerminating || endpoint.storageRules.isGraceful;
  // What nothing holds back goes as it was: only what had to wait is seen with a mark.
  const form = isMarked ? formOf(draft) : asBefore(endpoint, base);
  const body = isMarked ? await writtenBody(request, wanted) : base.body;
  const gone = { namespace: key.namespace, operation, subresource, before: holder, after: undefined };
  const charging = quotas?.of({ endpoint, ...gone });
  const op: DeleteOp = { op: 'delete', ...target(draft, base), ...form, body, charging };
  const written = { version: base.version, body, ...form };
  // Who stops what runs goes by the mark: it is written on its own, before.
  const marks = operation === 'DELETE' && endpoint.storageRules.isGraceful && !isStoredAs(base, request, body);
  return {
    ops: marks ? [updateOp(draft, base, body), { ...op, version: 'previous' }] : [op],
    written,
    answer: written,
    wanted,
    removed: true,
    changesClaims: true,
    async conclude(fate) {
      if (fate === 'kept') await giveBack(request.endpoint.storageRules.release(holder, allocators));
    },
  };
}

function createOp(draft: Draft, body: Buffer): CreateOp {
  const { endpoint, key, caller } = draft.request;
  const { metadata } = draft.wanted;
  return {
    op: 'create',
    type: endpoint.type,
    namespace: key.namespace,
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    body,
    ...formOf(draft),
    requireNamespace: endpoint.definition.namespaced,
    origin: caller.origin,
  };
}

function updateOp(draft: Draft, base: Stored, body: Buffer): UpdateOp {
  const terminating = draft.wanted.metadata?.deletionTimestamp !== undefined;
  return { op: 'update', ...target(draft, base), body, terminating };
}

const target = (draft: Draft, base: Stored) => ({
  type: draft.request.endpoint.type,
  ...draft.request.key,
  version: base.version === UNWRITTEN ? ('previous' as const) : base.version,
  ...formOf(draft),
  origin: draft.request.caller.origin,
});

/** How the body of a write lies. What was filled in as another version of its kind is filled in again when it is read. */
function formOf({ request, operation, stored: base }: Draft): Pick<Stored, 'storedVersion' | 'defaults'> {
  const { form, definition, storage } = request.endpoint;
  const marked = operation === 'DELETE' && base !== undefined;
  if (marked && marksAsItLies(request)) return asBefore(request.endpoint, base);
  // What is marked was read as the hub, which may have no room for all that another version fills in.
  const isFilled = marked
    ? form.versionOf(base) === form.version && form.writesHub
    : definition.version === form.version && definition.group === storage.group;
  return { storedVersion: form.version, defaults: isFilled ? form.defaults : 0 };
}
