import { type FieldError, shortened } from './field-error.js';
import { formatGroupResource, type GroupResource } from './group-version.js';

/** A cause of an error, of which there may be several. */
export interface StatusCause {
  /** Machine-readable, such as `FieldValueInvalid` or `ResourceVersionTooLarge`. */
  reason?: string;
  /** Message for people, without the field's path. */
  message?: string;
  /** Path of JSON names of the field: `spec.ports[0].port`; unset if the cause is about none. */
  field?: string;
}

/** Details of an error for programs. */
export interface StatusDetails {
  /** Name of the object; unset when there is none or it is not known. */
  name?: string;
  /** Group of the resource or kind; unset for the core group. */
  group?: string;
  /** The plural of the resource (`pods`); for an `Invalid` the kind (`Pod`). */
  kind?: string;
  /** Uid of the object, if it matters which one of that name. */
  uid?: string;
  /** Causes of the error; for an `Invalid` one for every field error. */
  causes?: StatusCause[];
  /** Seconds after which to retry, a whole number; also sent as `Retry-After`. */
  retryAfterSeconds?: number;
}

/** The `Status` object that answers every error. */
export interface Status {
  /** Identifies an error among other objects, with `apiVersion`. */
  kind: 'Status';
  /** The core group's version in both naming profiles. */
  apiVersion: 'v1';
  /** `continue` is set on a 410 after which a chunked list can resume from the same key at a newer version. */
  metadata: { continue?: string };
  /** `Success` is the answer to a deletion without an object to return. */
  status: 'Success' | 'Failure';
  /** Message for people; clients print it as it is. */
  message?: string;
  /** A {@link Reason}; unset when `status` is `Success`, or when no reason fits the code. */
  reason?: string;
  /** Unset when there are none. */
  details?: StatusDetails;
  /** The HTTP status of the answer; in an `ERROR` event of a watch the one it would have had. */
  code: number;
}

/** Machine-readable reasons and their HTTP status. */
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
/** A reason that {@link StatusError} can be made with. */
export type Reason = keyof typeof REASON_CODE;

/** The only error that a handler may throw on purpose: its Status is sent to the client as it is. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** Status for the client; nothing else of the error is sent. */
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

  /** The HTTP status of the reason. */
  get code(): number {
    return this.status.code;
  }

  /** Converts any thrown value to a StatusError; others become an InternalError that reveals no internals. */
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

/** 400: the request itself is invalid. */
export const badRequest = (message: string) => new StatusError('BadRequest', message);

/** 404: no such object; the collection itself is served. */
export const notFound = (gr: GroupResource, name: string) =>
  new StatusError('NotFound', `${formatGroupResource(gr)} "${name}" not found`, detailsOf(gr, name));

/** 409: the name of a create is taken. */
export const alreadyExists = (gr: GroupResource, name: string) =>
  new StatusError('AlreadyExists', `${formatGroupResource(gr)} "${name}" already exists`, detailsOf(gr, name));

/** 409: the object's state is not the one that the write was made for; `why` follows the colon. May be retried. */
export const conflict = (gr: GroupResource, name: string, why: string) =>
  new StatusError(
    'Conflict',
    `Operation cannot be fulfilled on ${formatGroupResource(gr)} "${name}": ${why}`,
    detailsOf(gr, name),
  );

/** The `why` of a version {@link conflict}, in the reference's wording, which clients look for. */
export const STALE_WRITE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 403: the caller is not allowed, or a rule of the cluster forbids it. `name` is empty for a whole collection. */
export const forbidden = (gr: GroupResource, name: string, why: string) =>
  new StatusError(
    'Forbidden',
    `${formatGroupResource(gr)}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    detailsOf(gr, name),
  );

/** 410: the history that the request needs is no longer held. */
export const expired = (message: string) => new StatusError('Expired', message);

/** 504: the answer may come later; `seconds` is also sent as Retry-After. */
export const timeout = (message: string, seconds: number, causes?: StatusCause[]) =>
  new StatusError('Timeout', message, { retryAfterSeconds: seconds, ...(causes && { causes }) });

/** 429: a limit is reached; `seconds` is also sent as Retry-After. */
export const tooManyRequests = (message: string, seconds: number) =>
  new StatusError('TooManyRequests', message, { retryAfterSeconds: seconds });

/** 503: a dependency is down; `seconds` is also sent as Retry-After. */
export const unavailable = (message: string, seconds: number) =>
  new StatusError('ServiceUnavailable', message, { retryAfterSeconds: seconds });

/** Limits of the field errors in a Status: characters of all together, and number; more are only counted. */
const REPORTED_CHARACTERS = 64 << 10;
const REPORTED_ERRORS = 1_000;

/**
 * 422 with one cause per field error, each once in the message; `kind` is the kind (not the plural), as clients print
 * it. Of very many or very long errors the first are included and the others counted.
 */
export function invalid(kind: string, group: string, name: string, errors: readonly FieldError[]): StatusError {
  const causes = causesOf(errors);
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

function causesOf(errors: readonly FieldError[]): StatusCause[] {
  const causes: StatusCause[] = [];
  let room = REPORTED_CHARACTERS;
  for (const error of errors) {
    if (room <= 0 || causes.length >= REPORTED_ERRORS) break;
    const [field, message] = [shortened(error.field), shortened(error.message)];
    causes.push({ reason: error.reason, message, field });
    room -= field.length + message.length;
  }
  return causes;
}
