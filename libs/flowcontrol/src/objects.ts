import type { ApiObject } from '@orch/machinery';
import type { Distinguisher, FlowRules, FlowSchema, LimitedLevel, PriorityLevel } from './configuration.js';

/** Specification of a FlowSchema, in version v1beta3. */
export interface FlowSchemaSpec {
  /** Precedence: of matching schemas the lowest wins; 1 to 10,000. */
  readonly matchingPrecedence?: number;
  /** Reference to the level that its requests go to. */
  readonly priorityLevelConfiguration?: { readonly name?: string };
  /** How its requests are divided into flows: `ByUser`, `ByNamespace`; null for one flow. */
  readonly distinguisherMethod?: { readonly type?: string } | null;
  /** Rules, of which a request must match one. */
  readonly rules?: readonly FlowRules[] | null;
}

/** Specification of a PriorityLevelConfiguration, in version v1beta3. */
export interface PriorityLevelSpec {
  /** `Exempt` or `Limited`. */
  readonly type?: string;
  /** Shares and queuing of a limited level. */
  readonly limited?: {
    readonly nominalConcurrencyShares?: number;
    readonly lendablePercent?: number | null;
    readonly borrowingLimitPercent?: number | null;
    readonly limitResponse?: {
      readonly type?: string;
      readonly queuing?: {
        readonly queues?: number;
        readonly handSize?: number;
        readonly queueLengthLimit?: number;
      } | null;
    };
  } | null;
}

/** Default precedence. */
const PRECEDENCE = 1_000;
const SHARES = 30;
const QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const EXEMPT = 'exempt';

/** Reads a FlowSchema of version v1beta3. */
export const readFlowSchema = (object: ApiObject): FlowSchema =>
  flowSchemaOf(
    object.metadata?.name ?? '',
    object.metadata?.uid ?? '',
    (object as { spec?: FlowSchemaSpec }).spec ?? {},
  );

/** Converts a spec to a flow schema; missing fields get their defaults. */
export function flowSchemaOf(name: string, uid: string, spec: FlowSchemaSpec): FlowSchema {
  return {
    name,
    uid,
    precedence: spec.matchingPrecedence ?? PRECEDENCE,
    priorityLevel: spec.priorityLevelConfiguration?.name ?? '',
    distinguisher: spec.distinguisherMethod?.type as Distinguisher,
    rules: spec.rules ?? [],
  };
}

/** Reads a PriorityLevelConfiguration of version v1beta3; undefined for an invalid one. */
export const readPriorityLevel = (object: ApiObject): PriorityLevel | undefined =>
  priorityLevelOf(
    object.metadata?.name ?? '',
    object.metadata?.uid ?? '',
    (object as { spec?: PriorityLevelSpec }).spec ?? {},
  );

/** A level is exempt by its name alone: that cannot change. */
export function priorityLevelOf(
  name: string,
  uid: string,
  { type, limited }: PriorityLevelSpec,
): PriorityLevel | undefined {
  if ((type === 'Exempt') !== (name === EXEMPT) || (type === 'Exempt') !== (limited == null)) return undefined;
  return { name, uid, limited: limited ? limitedOf(limited) : undefined };
}

function limitedOf(limited: NonNullable<PriorityLevelSpec['limited']>): LimitedLevel {
  const { limitResponse } = limited;
  return {
    shares: limited.nominalConcurrencyShares ?? SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    borrowingLimitPercent: limited.borrowingLimitPercent ?? undefined,
    queuing: limitResponse?.type === 'Queue' ? { ...QUEUING, ...limitResponse.queuing } : undefined,
  };
}
