import type { Violation } from './violation.js';

/** `strict` webhooks fail closed, `lenient` ones fail open. */
export type Policy = 'strict' | 'lenient';

/** The outcome of a write, as the client received it. */
export type ConsentOutcome =
  | { readonly at: 'committed'; readonly version: number }
  /** 409, which says nothing of webhooks. */
  | { readonly at: 'conflict' }
  /** A webhook has said no. */
  | { readonly at: 'denied'; readonly message: string }
  /** The answer was that a webhook could not be asked. */
  | { readonly at: 'unasked'; readonly message: string }
  | { readonly at: 'unknown' }
  | { readonly at: 'other'; readonly message: string };

export interface ConsentWrite {
  readonly policy: Policy;
  /** Stamp that is unique to this write. */
  readonly stamp: string;
  readonly outcome: ConsentOutcome;
}

/** A version of an object that webhooks are asked about. */
export interface ConsentVersion {
  readonly policy: Policy;
  readonly version: number;
  readonly stamp: string;
  /** The stamp that the mutating webhook recorded, if it was called. */
  readonly seen: string | undefined;
}

/**
 * Whether each write was done whole or not at all, as its answer says, and none that fails closed without what both webhooks had to do
 * with it.
 * @param agreed stamps to which the validating webhook has agreed
 */
export function checkConsent(
  writes: readonly ConsentWrite[],
  versions: readonly ConsentVersion[],
  agreed: Pick<ReadonlySet<string>, 'has'>,
): Violation[] {
  const found: Violation[] = [];
  const report = (rule: Violation['rule'], message: string) => found.push({ rule, message });
  const byStamp = new Map<string, ConsentVersion[]>();
  for (const version of versions) byStamp.set(version.stamp, [...(byStamp.get(version.stamp) ?? []), version]);
  for (const { policy, version, stamp, seen } of versions) {
    const what = `${policy} version ${version} (${stamp})`;
    if (policy === 'strict' && !agreed.has(stamp)) report('R.consent', `no webhook has agreed to ${what}`);
    if (policy === 'strict' ? seen !== stamp : seen !== undefined && seen !== stamp)
      report('R.consent', `${what} has what a webhook makes of ${seen}`);
  }
  for (const [stamp, { length }] of byStamp)
    if (length > 1) report('V1.unexplained', `${stamp} was done ${length} times`);
  for (const { policy, stamp, outcome } of writes) {
    const [done] = byStamp.get(stamp) ?? [];
    const what = `${policy} write ${stamp}, ${JSON.stringify(outcome)}`;
    if (outcome.at === 'committed') {
      if (done?.version !== outcome.version) report('V3.lost', `${what}, is at ${done?.version}`);
    } else if (outcome.at !== 'unknown' && done) report('V1.refused', `${what}, was done at ${done.version}`);
    if (outcome.at === 'other' || (policy === 'lenient' && outcome.at === 'unasked'))
      report('R.answer', `${what} is no answer for that policy`);
  }
  return found;
}
