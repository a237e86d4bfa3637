import type { Operation } from '@orch/admission';
import { type ApiObject, forbidden, type StatusError } from '@orch/machinery';
import { decimalOf, difference, type Evaluators, exceededText } from '@orch/quota';
import type { Endpoint } from '@orch/resources';
import type { Charge, Charging, WriteOp, WriteRefusal } from '@orch/storage';
import type { WriteRequest } from '../pipeline/write-request.js';
import { firstCount } from './first-count.js';
import type { QuotaIndex } from './quota-index.js';

/** The properties of a write by which it is charged. */
interface ChargedWrite {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly operation: Operation;
  readonly subresource: string;
  /** In the stored version; undefined for a creation. */
  readonly before: ApiObject | undefined;
  /** In the stored version; undefined where it is removed. */
  readonly after: ApiObject | undefined;
}

interface QuotaChargesOptions {
  readonly index: QuotaIndex;
  readonly evaluators: Evaluators;
  /** Whether writes are held to quotas (the admission plugin is on), and not only counted. */
  readonly limits: boolean;
  /** Whether another component counts: a write of a quota's status sets `used`. Default false. */
  readonly countedElsewhere?: boolean;
}

type Exceeded = Extract<WriteRefusal, { outcome: 'exceeded' }>;

/**
 * Computes the charges of writes against quotas, for every writer and verb. The store decides on them, atomically with
 * the write.
 */
export class QuotaCharges {
  constructor(private readonly options: QuotaChargesOptions) {}

  /** Undefined for what no quota counts, whichever there are. */
  of({ endpoint, namespace, operation, subresource, before, after }: ChargedWrite): Charging | undefined {
    const { index, evaluators, limits } = this.options;
    const known = index.version;
    if (known === undefined || namespace === '') return undefined;
    const evaluator = evaluators.of(resourceOf(endpoint));
    if (!evaluator || (before && after && !evaluator.changes)) return undefined;
    const quotas = index.in(namespace);
    if (quotas.length === 0) return { known };
    const limited =
      limits && (operation === 'CREATE' || (operation === 'UPDATE' && subresource === '' && evaluator.limitsUpdates));
    const charges = quotas.flatMap(({ terms }): Charge[] => {
      const changed = [...difference(terms, evaluator, before, after)];
      if (changed.length === 0) return [];
      const amounts = Object.fromEntries(changed.map(([name, nanos]) => [name, decimalOf(nanos)]));
      return [{ account: terms.name, amounts, limited }];
    });
    return { known, charges };
  }

  /** Whether an object is a quota itself. */
  isQuota({ type }: Endpoint): boolean {
    return type === this.options.index.endpoint.type;
  }

  /** Whether a write's `status.used` is taken over. */
  believes({ subresource, changeKind }: Pick<WriteRequest, 'subresource' | 'changeKind'>): boolean {
    return changeKind === 'usage' || (this.options.countedElsewhere === true && subresource === 'status');
  }

  /**
   * Resolves when the index of quotas is up to date, after which a write that was planned with older ones can be
   * planned anew.
   * @throws StoreUnavailableError
   */
  catchUp(): Promise<void> {
    return this.options.index.confirm();
  }

  /** Whether quotas that had not been counted when a write was refused have been by now, so that it may be retried. */
  async areCountedNow({ exceeded }: Exceeded, { namespace }: Pick<WriteOp, 'namespace'>): Promise<boolean> {
    const uncounted = exceeded.filter(({ used }) => used === undefined).map(({ account }) => account);
    return uncounted.length > 0 && firstCount(this.options.index, namespace, new Set(uncounted));
  }

  /** Why a write is refused: 403. */
  refusal({ exceeded }: Exceeded, endpoint: Endpoint, { namespace, name, charging }: WriteOp): StatusError {
    const { index, evaluators } = this.options;
    const quota = exceeded[0]?.account ?? '';
    const known = index.in(namespace).find(({ terms }) => terms.name === quota);
    const evaluator = evaluators.of(resourceOf(endpoint));
    const concerned = (known?.terms.limited ?? []).filter((each) => evaluator?.counts(each));
    const requested = charging?.charges?.find(({ account }) => account === quota)?.amounts ?? {};
    const why = exceededText(quota, exceeded, requested, concerned, (each) => known?.binary.has(each) ?? false);
    return forbidden(endpoint.groupResource, name, why);
  }
}

/** Resource as quotas name it: the same one in whichever group it is served. */
export const resourceOf = ({ storage }: Endpoint) => ({ group: storage.group, resource: storage.resource });
