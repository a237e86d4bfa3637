import { createHash } from 'node:crypto';
import type { JsonObject } from '@orch/machinery';

/** The resources that the run writes to: one selected by labels, one also by fields that change. */
export const KINDS = ['configmaps', 'events'] as const;
export type Kind = (typeof KINDS)[number];

/** The part of an object that writers change and watchers select by. */
export interface ObjectState {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Id of the write that last set everything; unique in a run. */
  readonly stamp: string;
  /** Set by writes that leave the stamp alone, and which may find nothing to change. */
  readonly flag: string;
  /** Label that selectors look at; empty when absent. */
  readonly tier: string;
  /** Field that field selectors look at; empty for config maps. */
  readonly reason: string;
  /** A short digest of who owns its fields; empty when nobody does. */
  readonly owners: string;
}

/** An object as JSON, from a client's answer or from the database. A `type`, so that it passes for any object of the API. */
export type WireObject = {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: JsonObject[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly action?: string;
  readonly reason?: string;
};

export type Contents = Pick<ObjectState, 'stamp' | 'flag' | 'tier' | 'reason'>;

/** The object that a writer sends. */
export function manifest(kind: Kind, namespace: string, name: string, contents: Contents, padding = '') {
  const { stamp, flag, tier, reason } = contents;
  const metadata = { namespace, name, ...(tier && { labels: { tier } }) };
  if (kind === 'configmaps') return { metadata, data: { stamp, flag, padding } };
  const involvedObject = { kind: 'Pod', namespace, name };
  return { metadata, involvedObject, message: stamp, action: flag, reason, type: 'Normal' };
}

/** A merge patch (RFC 7396) that sets everything but the flag. */
export function contentsPatch(kind: Kind, { stamp, tier, reason }: Omit<Contents, 'flag'>) {
  const metadata = { labels: { tier: tier || null } };
  return kind === 'configmaps' ? { metadata, data: { stamp } } : { metadata, message: stamp, reason };
}

/** A merge patch that sets the flag and nothing else. */
export function flagPatch(kind: Kind, flag: string) {
  return kind === 'configmaps' ? { data: { flag } } : { action: flag };
}

export function readState({ metadata = {}, data, message, action, reason }: WireObject): ObjectState {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    stamp: data?.stamp ?? message ?? '',
    flag: data?.flag ?? action ?? '',
    tier: metadata.labels?.tier ?? '',
    reason: reason ?? '',
    owners: digestOf(metadata.managedFields),
  };
}

const DIGEST_CHARS = 12;

/** Wherever owners come from, they are written in one order. */
const digestOf = (owners: readonly JsonObject[] = []): string =>
  owners.length === 0
    ? ''
    : createHash('sha256').update(JSON.stringify(owners)).digest('base64').slice(0, DIGEST_CHARS);

export const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`;

/** Everything that is compared, in one string. */
export function printOf({ namespace, name, uid, stamp, flag, tier, reason, owners }: ObjectState): string {
  return `${namespace}/${name} ${uid} ${stamp} ${flag} ${tier} ${reason} ${owners}`;
}

/** The state that was printed: nothing in it holds a space. */
export function parsePrint(print: string): ObjectState {
  const [key = '', uid = '', stamp = '', flag = '', tier = '', reason = '', owners = ''] = print.split(' ');
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name, uid, stamp, flag, tier, reason, owners };
}
