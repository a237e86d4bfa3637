import { certificateRequest } from '@orch/authentication';
import { type Client, hasReason, isExpired } from '@orch/client';
import type { ApiObject, Names } from '@orch/machinery';
import { type Clock, type Logger, sleep } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import { requestName } from './request-name.js';
import type { WantedCertificate } from './wanted.js';

/** The calls to the API of who asks for certificates. */
export type RequestClient = Pick<Client, 'create' | 'get' | 'watch'>;

/** Dependencies of {@link requestCertificate}. */
interface RequestSettings {
  /** Calls the API. */
  readonly client: RequestClient;
  /** Names of the installation. */
  readonly names: Names;
  /** Clock of the waits. */
  readonly clock: Clock;
  /** Gets to know what becomes of requests. */
  readonly logger: Logger;
  /** Called when a request has been refused. */
  readonly onRefused: () => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Waits between rounds that end at once, as those of a watch that expires whenever it begins. */
const RETRY = { firstMs: 2_000, longestMs: 32_000 };

/** A certificate that was issued. */
interface IssuedCertificate {
  /** PEM, with intermediates behind it. */
  readonly cert: string;
  /** Whether its request was there before, by an earlier process or attempt. */
  readonly isEarlier: boolean;
}

/**
 * Asks for a certificate and waits until it is there; undefined when `signal` aborts. A request of the same key that
 * exists goes on. One that has been refused is left alone until somebody takes it away, as the control plane does after
 * an hour: then it is made again; so whoever is refused makes no pile of requests. @throws Error of the client
 */
export async function requestCertificate(
  key: string,
  wanted: WantedCertificate,
  settings: RequestSettings,
): Promise<IssuedCertificate | undefined> {
  const ref = { group: settings.names.group('certificates.orch.io'), version: 'v1', resource: RESOURCE } as const;
  const name = requestName(key, wanted);
  const object = await requestObject(name, key, wanted, settings.names);
  const { signal, clock } = settings;
  const backoff = new Backoff(RETRY);
  while (!signal.aborted) {
    const since = clock.now();
    const made = await create(ref, object, settings);
    const request = made ?? (await existing(ref, name, settings));
    const cert = request && (await issued(ref, request, settings));
    if (cert !== undefined) return { cert, isEarlier: made === undefined };
    if (clock.now() - since >= RETRY.firstMs) backoff.reset();
    else await sleep(clock, backoff.next(), signal);
  }
  return undefined;
}

/** The parts of a CertificateSigningRequest that matter here. */
interface SigningRequest extends ApiObject {
  readonly spec: { readonly request: string; readonly signerName: string; readonly usages: readonly string[] };
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

const RESOURCE = 'certificatesigningrequests';
type Ref = { readonly group: string; readonly version: string; readonly resource: string };

async function requestObject(
  name: string,
  key: string,
  { signer, subject, usages, hosts }: WantedCertificate,
  names: Names,
): Promise<SigningRequest> {
  const request = Buffer.from(await certificateRequest({ key, subject, hosts })).toString('base64');
  return {
    apiVersion: `${names.group('certificates.orch.io')}/v1`,
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request, signerName: names.key(signer), usages },
  };
}

/** Makes the request; undefined where it is there. */
async function create(
  ref: Ref,
  object: SigningRequest,
  { client, logger, signal }: RequestSettings,
): Promise<SigningRequest | undefined> {
  try {
    const made = await client.create<SigningRequest>(ref, object, {}, { signal });
    logger.info('a certificate has been requested', {
      request: made.metadata?.name,
      signer: object.spec.signerName,
    });
    return made;
  } catch (error) {
    if (hasReason(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

/** Gets the request; undefined where it has been deleted. */
async function existing(
  ref: Ref,
  name: string,
  { client, signal }: RequestSettings,
): Promise<SigningRequest | undefined> {
  try {
    return await client.get<SigningRequest>(ref, name, {}, { signal });
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Waits for the certificate; undefined when the request is deleted, the history is gone, or `signal` aborts. */
async function issued(ref: Ref, request: SigningRequest, settings: RequestSettings): Promise<string | undefined> {
  const { client, signal } = settings;
  const name = request.metadata?.name ?? '';
  let refused = noteRefusal(request, false, settings);
  if (!refused && request.status?.certificate) return text(request.status.certificate);
  const after = request.metadata?.resourceVersion ?? '';
  const options = { fieldSelector: `metadata.name=${name}`, signal };
  try {
    for await (const event of client.watch<SigningRequest>(ref, { after }, options)) {
      if (event.type === 'DELETED') return undefined;
      if (event.type === 'BOOKMARK') continue;
      refused = noteRefusal(event.object, refused, settings);
      if (!refused && event.object.status?.certificate) return text(event.object.status.certificate);
    }
  } catch (error) {
    if (!isExpired(error)) throw error;
  }
  return undefined;
}

const text = (certificate: string): string => Buffer.from(certificate, 'base64').toString();

/** Whether a request has been refused; said the first time. */
function noteRefusal(
  { metadata, status }: SigningRequest,
  known: boolean,
  { logger, onRefused }: RequestSettings,
): boolean {
  const refusal = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (!refusal || known) return known;
  const { type, reason, message } = refusal;
  logger.error('the request for a certificate is refused: it is made again when it has been deleted', {
    request: metadata?.name,
    type,
    ...(reason && { reason }),
    ...(message && { message }),
  });
  onRefused();
  return true;
}
