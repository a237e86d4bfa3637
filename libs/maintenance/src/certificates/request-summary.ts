import { X509Certificate } from 'node:crypto';
import { parseTime } from '@orch/machinery';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@orch/schema/types/certificates/v1';

/** State of a request. An `approved` one waits for its signer. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'failed' | 'issued';

/** Summary of a certificate request that is kept in memory, without the request itself. */
export interface RequestSummary {
  /** Name of the request. */
  readonly name: string;
  /** UID of the request. */
  readonly uid: string;
  /** Resource version of the request. */
  readonly resourceVersion: string;
  /** Name of its signer. */
  readonly signerName: string;
  /** State, by conditions and certificate. */
  readonly state: RequestState;
  /** Time at which it is to be removed, milliseconds since 1970. */
  readonly removeAt: number;
  /** Requested lifetime, seconds; undefined if the signer chooses. */
  readonly seconds: number | undefined;
  /** Lifetime of the certificate, milliseconds; undefined if there is none, or it is invalid. */
  readonly lifetime: number | undefined;
}

const HOUR_MS = 3_600_000;
/** Time for which decided and pending requests are kept, as in the reference, milliseconds. */
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** Returns the summary of a request with this uid, at this version. */
export function summaryOf(object: CertificateSigningRequest, uid: string, version: bigint): RequestSummary {
  const { metadata, spec, status } = object;
  const times = certificateTimes(status?.certificate);
  return {
    name: metadata?.name ?? '',
    uid,
    resourceVersion: String(version),
    signerName: spec?.signerName ?? '',
    state: stateOf(object),
    removeAt: removalOf(object, times?.end),
    seconds: spec?.expirationSeconds,
    lifetime: times && times.end - times.begin,
  };
}

/** Returns the state of a request, by its conditions and its certificate. */
export function stateOf({ status }: CertificateSigningRequest): RequestState {
  const { certificate = '', conditions = [] } = status ?? {};
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  if (certificate !== '') return 'issued';
  if (conditions.some(({ type, status: holds }) => type === 'Failed' && (!holds || holds === 'True'))) return 'failed';
  if (has('Denied')) return 'denied';
  return has('Approved') ? 'approved' : 'pending';
}

function removalOf({ metadata, status }: CertificateSigningRequest, end: number | undefined): number {
  const { conditions = [], certificate = '' } = status ?? {};
  if (conditions.length === 0) return after(metadata?.creationTimestamp, PENDING_MS);
  const issued = certificate !== '';
  const decided = conditions.filter(
    ({ type }) => type === 'Denied' || type === 'Failed' || (type === 'Approved' && issued),
  );
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  return Math.min(
    ...decided.map(({ lastUpdateTime }: CertificateSigningRequestCondition) => after(lastUpdateTime, DECIDED_MS)),
    isApproved && end !== undefined ? end : Number.POSITIVE_INFINITY,
  );
}

/** Returns a time plus a duration; never for a missing time. */
const after = (time: string | undefined, ms: number): number =>
  time ? parseTime(time) + ms : Number.POSITIVE_INFINITY;

/**
 * Returns the validity of the first certificate, milliseconds since 1970; undefined if there is none, or it is invalid.
 */
function certificateTimes(certificate = ''): { begin: number; end: number } | undefined {
  if (certificate === '') return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}
