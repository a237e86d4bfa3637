import { type StatusError, timeout } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { WriteOp, WriteOutcome } from '@orch/storage';
import type { QuotaCharges } from '../charges/quota-charges.js';

/** Seconds after which a client may ask again. */
const RETRY_SECONDS = 1;

/**
 * Handles a write that quotas kept from being committed.
 * @returns once current quotas are known, where the write was planned with outdated or uncounted ones and may be
 * planned again
 */
export async function heedQuotas(
  quotas: QuotaCharges | undefined,
  outcome: WriteOutcome,
  endpoint: Endpoint,
  own: WriteOp | undefined,
): Promise<void> {
  if (outcome.outcome === 'accounts-changed') await quotas?.catchUp();
  if (outcome.outcome !== 'exceeded' || !quotas || !own) return;
  if (!(await quotas.areCountedNow(outcome, own))) throw quotas.refusal(outcome, endpoint, own);
}

/** 504 for what was planned in vain each time. */
export const quotasChange = ({ definition }: Endpoint): StatusError =>
  timeout(`quotas of the namespace change too often to create ${definition.resource} in it`, RETRY_SECONDS);
