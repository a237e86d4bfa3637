import { AuditNotes } from '@orch/audit';
import type { UserInfo } from '@orch/authentication';
import { type Authorizer, alwaysAllow, type RequestAttributes } from '@orch/authorization';
import { managerOf } from '@orch/merge';
import { skipsWebhooks } from '../own/skipped-webhooks.js';

/** Who wants a write, and where what is learned on its way goes. */
export interface Caller {
  /** User that the write is authorized and audited for. */
  readonly user: UserInfo;
  /** Who decides about it, and by what it was let in; absent for the server itself. */
  readonly access?: { readonly authorizer: Authorizer; readonly request: RequestAttributes };
  /** What its client calls itself; empty when it does not. Owns what it writes without naming a field manager. */
  readonly agent: string;
  /** Texts for the client's `Warning` headers. */
  readonly warnings: string[];
  /** Notes for the audit log, by key. */
  readonly annotations: AuditNotes;
  /** Notes of the content of the request, where the audit log tells that; absent where it does not. */
  noteBody?(key: string, text: string): void;
  /** No webhook is to be called: an administrator has asked for that, or the server does it for itself. */
  readonly skipsWebhooks?: boolean;
  /** Monotonic milliseconds (`performance.now()`) at which nobody waits for the answer any more. */
  readonly deadline: number;
  /** What those who observe the store know the request by; the store does not look at it. */
  readonly origin?: unknown;
}

/** What a request says of its caller. */
export interface CallerRequest {
  readonly req: { readonly headers: { readonly 'user-agent'?: string | undefined } };
  readonly user: UserInfo;
  readonly info: RequestAttributes;
  readonly access: { readonly authorizer: Authorizer };
  readonly warnings: string[];
  readonly annotations: AuditNotes;
  readonly deadline?: number;
  readonly trail?: object;
  readonly audit?: { readonly wantsRequest: boolean; noteBody(key: string, text: string): void } | null;
  readonly query: URLSearchParams;
}

/** The caller of a request of the API. */
export const callerOf = ({
  req,
  user,
  info,
  access,
  warnings,
  annotations,
  deadline,
  trail,
  audit,
  query,
}: CallerRequest): Caller => ({
  user,
  access: { authorizer: access.authorizer, request: info },
  // Headers come as bytes, one a character.
  agent: managerOf(Buffer.from(req.headers['user-agent'] ?? '', 'latin1').toString()),
  warnings,
  annotations,
  deadline: deadline ?? Number.POSITIVE_INFINITY,
  ...(trail && { origin: trail }),
  ...(audit?.wantsRequest && { noteBody: (key: string, text: string) => audit.noteBody(key, text) }),
  ...(skipsWebhooks(query, user) && { skipsWebhooks: true }),
});

/** As whom the server itself writes: what every installation has, namespaces on their way out. */
const SERVER: UserInfo = { name: 'system:apiserver', groups: ['system:authenticated', 'system:masters'], extra: {} };

/** Who decides what a caller may do beside the write itself; nothing that policies say keeps the server from its own work. */
export const authorizerOf = ({ access }: Caller): Authorizer => access?.authorizer ?? alwaysAllow;

/** Whether the server writes about its own affairs: as {@link serverItself}. */
export const isOwnAffair = ({ access, skipsWebhooks }: Caller): boolean =>
  access === undefined && skipsWebhooks === true;

/**
 * The server as a caller; nobody reads its warnings and notes. It asks no admission webhook about its own affairs: one that is down must not keep
 * it from starting, nor from what it tells of objects.
 */
export const serverItself = (deadline = Number.POSITIVE_INFINITY): Caller => ({
  ...serverForUsers(deadline),
  skipsWebhooks: true,
});

/** The same for what it makes and deletes on behalf of users, as controllers do elsewhere: webhooks have a say in that. */
export const serverForUsers = (deadline = Number.POSITIVE_INFINITY): Caller => ({
  user: SERVER,
  agent: 'orch',
  warnings: [],
  annotations: new AuditNotes(),
  deadline,
});
