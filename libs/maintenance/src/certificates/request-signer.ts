import { SigningAuthority } from '@orch/authentication';
import {
  type CertificateRequest,
  readCertificateRequest,
  type Signer,
  type SignerId,
  signatureError,
  signerOf,
  writtenNames,
} from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import type { Pair } from '@orch/serving';
import { type RequestSummary, stateOf } from './request-summary.js';
import { type RequestWrites, withCondition, writeRequest } from './request-writer.js';

interface RequestSignerOptions extends RequestWrites {
  readonly names: Names;
  /** Returns the current signing certificates and keys. */
  signers(): ReadonlyMap<SignerId, Pair>;
  /** Longest lifetime of a certificate, milliseconds. */
  readonly longest: number;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Shortest lifetime of a certificate, milliseconds. */
const SHORTEST_MS = 600_000;

/** Signs approved requests for the control plane's own signers, or records why they are not signed. */
export class RequestSigner {
  readonly #authorities = new WeakMap<Pair, Promise<SigningAuthority>>();

  constructor(private readonly options: RequestSignerOptions) {}

  /** Returns whether a request waits for a signer of this process. */
  isDue({ state, signerName }: RequestSummary): boolean {
    return state === 'approved' && this.#signerOf(signerName) !== undefined;
  }

  /**
   * Signs a request, unless that is no longer due.
   * @throws StatusError, StoreUnavailableError; Error if the authority cannot sign
   */
  async sign(summary: RequestSummary): Promise<void> {
    await writeRequest(this.options, summary, 'status', async (current) => {
      const found = this.#signerOf(current.spec?.signerName ?? '');
      if (!found || stateOf(current) !== 'approved') return undefined;
      const asked = askedOf(current, found.signer);
      if (typeof asked === 'string')
        return withCondition(current, { type: 'Failed', reason: 'SignerValidationFailure', message: asked });
      const certificate = Buffer.from(await this.#certificateFor(asked, current, found.pair)).toString('base64');
      return { ...current, status: { ...current.status, certificate } };
    });
  }

  #signerOf(name: string): { signer: Signer; pair: Pair } | undefined {
    const signer = signerOf(name, this.options.names);
    const pair = signer && this.options.signers().get(signer.id);
    return signer && pair && { signer, pair };
  }

  async #certificateFor(asked: CertificateRequest, { spec }: CertificateSigningRequest, pair: Pair): Promise<string> {
    const { longest, now } = this.options;
    const wanted = spec?.expirationSeconds === undefined ? longest : spec.expirationSeconds * 1000;
    const authority = await this.#authorityOf(pair);
    return authority.sign(
      {
        ...writtenNames(asked),
        publicKey: asked.publicKey,
        usages: spec?.usages ?? [],
        lifetime: Math.min(Math.max(wanted, SHORTEST_MS), longest),
      },
      now(),
    );
  }

  #authorityOf(pair: Pair): Promise<SigningAuthority> {
    const known = this.#authorities.get(pair) ?? SigningAuthority.of(pair);
    this.#authorities.set(pair, known);
    return known;
  }
}

/** Returns the parsed request, or why its signer does not sign it. */
function askedOf({ spec }: CertificateSigningRequest, signer: Signer): CertificateRequest | string {
  try {
    const request = readCertificateRequest(Buffer.from(spec?.request ?? '', 'base64').toString('latin1'));
    return signatureError(request) ?? signer.refusal(request, spec?.usages ?? []) ?? request;
  } catch (error) {
    return `unable to parse the request: ${error instanceof Error ? error.message : String(error)}`;
  }
}
