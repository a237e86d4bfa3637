import type { UserInfo } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { readCertificateRequest, signerOf } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { fromStored } from '@orch/resources';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { type RequestSummary, stateOf } from './request-summary.js';
import { type RequestWrites, withCondition, writeRequest } from './request-writer.js';

interface NodeApproverOptions extends RequestWrites {
  readonly names: Names;
  readonly reader: Pick<ObjectReader, 'current'>;
  readonly authorizer: Authorizer;
}

/** A right to have a client certificate of a node approved: to create this subresource, which is not served. */
interface NodeRight {
  /** Subresource of the right. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** Message of the condition, in the words that clients of the reference know. */
  readonly message: string;
}

const OWN: NodeRight = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const ANY: NodeRight = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** Approves client certificates of nodes for users with the right to have them. */
export class NodeApprover {
  constructor(private readonly options: NodeApproverOptions) {}

  /** Returns whether a request is pending and for the signer of such certificates. */
  isDue({ state, signerName }: Pick<RequestSummary, 'state' | 'signerName'>): boolean {
    return state === 'pending' && signerOf(signerName, this.options.names)?.id === 'kubelet-client';
  }

  /**
   * Approves a request if its user has the right.
   * @returns false if the right was checked and is missing: it may be granted later
   * @throws StatusError, StoreUnavailableError; errors of the authorizer
   */
  async approve(summary: RequestSummary): Promise<boolean> {
    const { endpoint, reader } = this.options;
    const stored = await reader.current(endpoint.type, { namespace: '', name: summary.name });
    const request = stored && (fromStored(stored, endpoint) as CertificateSigningRequest);
    if (request?.metadata?.uid !== summary.uid) return true;
    const rights = this.#rightsFor(request);
    for (const right of rights) {
      if (!(await this.#has(request, right))) continue;
      const condition = { type: 'Approved', reason: 'AutoApproved', message: right.message };
      await writeRequest(this.options, summary, 'approval', (current) =>
        stateOf(current) === 'pending' ? withCondition(current, condition) : undefined,
      );
      return true;
    }
    return rights.length === 0;
  }

  /**
   * Returns the rights that suffice for a request: a node that requests its own certificate needs less than a user that
   * requests one for another node.
   */
  #rightsFor({ spec }: CertificateSigningRequest): readonly NodeRight[] {
    const signer = signerOf(spec?.signerName ?? '', this.options.names);
    if (signer?.id !== 'kubelet-client') return [];
    try {
      const asked = readCertificateRequest(Buffer.from(spec?.request ?? '', 'base64').toString('latin1'));
      if (signer.refusal(asked, spec?.usages ?? []) !== undefined) return [];
      return asked.commonName === spec?.username ? [OWN, ANY] : [ANY];
    } catch {
      return [];
    }
  }

  async #has({ spec }: CertificateSigningRequest, { subresource }: NodeRight): Promise<boolean> {
    const user: UserInfo = {
      name: spec?.username ?? '',
      ...(spec?.uid && { uid: spec.uid }),
      groups: spec?.groups ?? [],
      extra: spec?.extra ?? {},
    };
    const { decision } = await this.options.authorizer.authorize(user, {
      verb: 'create',
      isResourceRequest: true,
      path: '',
      group: this.options.endpoint.definition.group,
      version: '',
      resource: 'certificatesigningrequests',
      subresource,
      namespace: '',
      name: '',
    });
    return decision === 'allow';
  }
}
