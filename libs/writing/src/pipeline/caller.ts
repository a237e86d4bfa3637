import { AuditNotes } from '@orch/audit';
import type { UserInfo } from '@orch/authentication';
import { type Authorizer, alwaysAllow, type RequestAttributes } from '@orch/authorization';
import { managerOf } from '@orch/merge';
import { skipsWebhooks } from '../own/skipped-webhooks.js';

/** The caller of a write, and the sinks of warnings and audit annotations. */
export interface Caller {
  /** User that the write is authorized and audited for. */
  readonly user: UserInfo;
  /** Authorizer and the attributes that the request was authorized by; absent for the server itself. */
  readonly access?: { readonly authorizer: Authorizer; readonly request: RequestAttributes };
  /** User agent of the client; empty for none. Field manager of writes that name none. */
  readonly agent: string;
  /** Texts that are sent as `Warning` headers. */
  readonly warnings: string[];
  /** Annotations for the audit log, by key. */
  readonly annotations: AuditNotes;
  /** Annotates content of the request; absent where the audit policy does not log bodies. */
  noteBody?(key: string, text: string): void;
  /** Whether webhooks are skipped, as an administrator has requested, or for the server itself. */
  readonly skipsWebhooks?: boolean;
  /** Deadline of the request, monotonic milliseconds (`performance.now()`). */
  readonly deadline: number;
  /**
   * Whether the caller may not write any more, even what it has begun: a controller whose process has lost its lease.
   */
  isOver?(): boolean;
  /** Identifies the request to observers of the store; opaque to the store. */
  readonly origin?: unknown;
}

/** Parts of a request that make its caller. */
interface CallerRequest {
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

/** User that the server itself writes as: default objects, and the deletion of namespaces. */
const SERVER: UserInfo = { name: 'system:apiserver', groups: ['system:authenticated', 'system:masters'], extra: {} };

/** Authorizer for what the caller does beside the write itself; policies do not restrict the server's own work. */
export const authorizerOf = ({ access }: Caller): Authorizer => access?.authorizer ?? alwaysAllow;

/** Whether the caller is the server itself, as {@link serverItself} makes it. */
export const isInternal = ({ access, skipsWebhooks }: Caller): boolean =>
  access === undefined && skipsWebhooks === true;

/**
 * The server as a caller; its warnings and notes are dropped. Its own writes skip admission webhooks: a webhook that is
 * down must not keep it from starting, nor from writing statuses.
 */
export const serverItself = (deadline = Number.POSITIVE_INFINITY): Caller => ({
  ...serverForUsers(deadline),
  skipsWebhooks: true,
});

/** State of work that one process of the installation does: a run of a controller. */
export interface OwnRun {
  /** Whether what it has begun may still be written. */
  readonly goesOn: boolean;
}

/** The server as a caller in a run of a controller: writes nothing any more once that does not go on. */
export const serverIn = (run: OwnRun): Caller => ({ ...serverItself(), isOver: () => !run.goesOn });

/**
 * The server as the caller of creations and deletions on behalf of users, as of controllers: webhooks apply to these.
 */
export const serverForUsers = (deadline = Number.POSITIVE_INFINITY): Caller => ({
  user: SERVER,
  agent: 'orch',
  warnings: [],
  annotations: new AuditNotes(),
  deadline,
});
