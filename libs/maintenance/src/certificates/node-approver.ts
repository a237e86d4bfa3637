import type { UserInfo } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { readCertificateRequest, signerOf } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { fromStored } from '@orch/resources';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { type RequestOutline, stateOf } from './request-outline.js';
import { type RequestWrites, withCondition, writeRequest } from './request-writer.js';

interface NodeApproverOptions extends RequestWrites {
  readonly names: Names;
  readonly reader: Pick<ObjectReader, 'current'>;
  readonly authorizer: Authorizer;
}

/** A right by which the client certificate of a node is approved for who asks: to create this subresource, which is served nowhere. */
interface NodeRight {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** Told in the condition, in the words that clients of the reference know. */
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

/** Approves client certificates of nodes for who may have them. */
export class NodeApprover {
  constructor(private readonly options: NodeApproverOptions) {}

  /** Whether a request may be one that is approved so. */
  isDue({ state, signerName }: Pick<RequestOutline, 'state' | 'signerName'>): boolean {
    return state === 'pending' && signerOf(signerName, this.options.names)?.id === 'kubelet-client';
  }

  /**
   * Approves a request if who made it has the right.
   * @returns false where it was looked for and is not there: it may be given later
   * @throws StatusError, StoreUnavailableError; what the authorizer throws
   */
  async approve(outline: RequestOutline): Promise<boolean> {
    const { endpoint, reader } = this.options;
    const stored = await reader.current(endpoint.type, { namespace: '', name: outline.name });
    const request = stored && (fromStored(stored, endpoint) as CertificateSigningRequest);
    if (request?.metadata?.uid !== outline.uid) return true;
    const rights = this.#rightsFor(request);
    for (const right of rights) {
      if (!(await this.#has(request, right))) continue;
      const condition = { type: 'Approved', reason: 'AutoApproved', message: right.message };
      await writeRequest(this.options, outline, 'approval', (current) =>
        stateOf(current) === 'pending' ? withCondition(current, condition) : undefined,
      );
      return true;
    }
    return rights.length === 0;
  }

  /** Who asks for the certificate of the node that it is needs less than who asks for that of another. */
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
