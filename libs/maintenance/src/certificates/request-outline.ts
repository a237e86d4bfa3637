import { X509Certificate } from 'node:crypto';
import { parseTime } from '@orch/machinery';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@orch/schema/types/certificates/v1';

/** What has become of a request. `approved` waits for its signer. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'failed' | 'issued';

/** A certificate request as a process knows it, without what it asks for. */
export interface RequestOutline {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly signerName: string;
  readonly state: RequestState;
  /** When it is of no use any more, milliseconds since 1970. */
  readonly removeAt: number;
  /** What was asked for, seconds; undefined where the signer was to choose. */
  readonly seconds: number | undefined;
  /** Milliseconds that the certificate is good for; undefined where there is none, or it cannot be read. */
  readonly lifetime: number | undefined;
}

const HOUR_MS = 3_600_000;
/** How long requests are kept that were decided, and ones that nobody looks at: as the reference does. */
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** What is known of a request of this uid, at this version. */
export function outlineOf(object: CertificateSigningRequest, uid: string, version: bigint): RequestOutline {
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

/** Of its conditions and its certificate. */
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

/** What does not say when it was written stays. */
const after = (time: string | undefined, ms: number): number =>
  time ? parseTime(time) + ms : Number.POSITIVE_INFINITY;

/** Of the first certificate, milliseconds since 1970. */
function certificateTimes(certificate = ''): { begin: number; end: number } | undefined {
  if (certificate === '') return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}
