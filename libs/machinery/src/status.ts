import { type FieldError, shortened } from './field-error.js';
import { formatGroupResource, type GroupResource } from './group-version.js';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The `Status` object that every refusal is answered with. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  /** `continue` is set on a 410 that lets a chunked list go on from the same key at a newer version. */
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/** Machine-readable reasons and the HTTP status each goes with. */
export const REASON_CODE = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;
export type Reason = keyof typeof REASON_CODE;

/** The one error that may leave a handler on purpose: its Status goes to the client as it is. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(reason: Reason, message: string, details?: StatusDetails) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code: REASON_CODE[reason],
    };
  }

  get code(): number {
    return this.status.code;
  }

  /** Any thrown value as a StatusError; what is not one becomes an InternalError that tells nothing of the inside. */
  static from(thrown: unknown): StatusError {
    if (thrown instanceof StatusError) return thrown;
    const hidden = new StatusError('InternalError', 'Internal error occurred');
    hidden.cause = thrown;
    return hidden;
  }
}

const detailsOf = (gr: GroupResource, name: string): StatusDetails => ({
  ...(name && { name }),
  ...(gr.group && { group: gr.group }),
  kind: gr.resource,
});

export const badRequest = (message: string) => new StatusError('BadRequest', message);

export const notFound = (gr: GroupResource, name: string) =>
  new StatusError('NotFound', `${formatGroupResource(gr)} "${name}" not found`, detailsOf(gr, name));

export const alreadyExists = (gr: GroupResource, name: string) =>
  new StatusError('AlreadyExists', `${formatGroupResource(gr)} "${name}" already exists`, detailsOf(gr, name));

export const conflict = (gr: GroupResource, name: string, why: string) =>
  new StatusError(
    'Conflict',
    `Operation cannot be fulfilled on ${formatGroupResource(gr)} "${name}": ${why}`,
    detailsOf(gr, name),
  );

export const STALE_WRITE =
  'the object has been modified; please apply your changes to the latest version and try again';

export const forbidden = (gr: GroupResource, name: string, why: string) =>
  new StatusError(
    'Forbidden',
    `${formatGroupResource(gr)}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    detailsOf(gr, name),
  );

/** 410: the history that the request needs is no longer held. */
export const expired = (message: string) => new StatusError('Expired', message);

/** 504: the answer may come later; `seconds` goes out as Retry-After as well. */
export const timeout = (message: string, seconds: number, causes?: StatusCause[]) =>
  new StatusError('Timeout', message, { retryAfterSeconds: seconds, ...(causes && { causes }) });

export const tooManyRequests = (message: string, seconds: number) =>
  new StatusError('TooManyRequests', message, { retryAfterSeconds: seconds });

export const unavailable = (message: string, seconds: number) =>
  new StatusError('ServiceUnavailable', message, { retryAfterSeconds: seconds });

/** Characters of field errors that a Status tells, all together, and field errors, beyond which they are only counted. */
const TOLD_CHARACTERS = 64 << 10;
const TOLD_ERRORS = 1_000;

/**
 * 422 with one cause per field error, said once in the message; `kind` is the kind (not the plural), as clients print it.
 * Of very many or very long errors the first are told and the others counted.
 */
export function invalid(kind: string, group: string, name: string, errors: readonly FieldError[]): StatusError {
  const causes = told(errors);
  const list = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  if (causes.length < errors.length) list.push(`and ${errors.length - causes.length} more errors`);
  const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  const qualified = group ? `${kind}.${group}` : kind;
  return new StatusError('Invalid', `${qualified} "${shortened(name)}" is invalid: ${text}`, {
    ...(name && { name: shortened(name) }),
    ...(group && { group }),
    kind,
    causes,
  });
}

function told(errors: readonly FieldError[]): StatusCause[] {
  const causes: StatusCause[] = [];
  let room = TOLD_CHARACTERS;
  for (const error of errors) {
    if (room <= 0 || causes.length >= TOLD_ERRORS) break;
    const [field, message] = [shortened(error.field), shortened(error.message)];
    causes.push({ reason: error.reason, message, field });
    room -= field.length + message.length;
  }
  return causes;
}
