import type { ApiObject } from '@orch/machinery';
import { amountOf, decimalOf, type QuotaObject, sameSelectors, sameTerms, termsOf } from '@orch/quota';
import type { TalliedAmount, Tally } from '@orch/storage';

/** A write of a ResourceQuota. */
export interface QuotaWrite {
  /** ResourceQuota to be stored; its status is corrected in place. */
  readonly object: ApiObject;
  /** Stored ResourceQuota; undefined for a new one. */
  readonly old: ApiObject | undefined;
  readonly subresource: string;
  /** Whether the server itself has counted: its `status.used` is taken over. */
  readonly counted: boolean;
}

type Amounts = Readonly<Record<string, string>>;

/**
 * Corrects the status of a quota, which the server owns. `hard` follows the spec at once, and may be written through
 * the status too, until the next count; `used` changes with the objects that are counted, and by no other write. A
 * limited amount without `used` has not been counted yet; no amount has been when a quota selects other objects than
 * before.
 */
export function settleStatus({ object, old, subresource, counted }: QuotaWrite): void {
  const [quota, before] = [object as QuotaObject, old as QuotaObject | undefined];
  const wanted = quota.spec?.hard ?? {};
  const isSame = before !== undefined && sameAmounts(wanted, before.spec?.hard ?? {});
  const stated = subresource === 'status' ? quota.status?.hard : isSame ? before.status?.hard : undefined;
  const hard = counted ? wanted : (stated ?? wanted);
  const isAboutSame = old !== undefined && sameSelectors(termsOf(old), termsOf(object));
  const known = counted ? quota.status?.used : isAboutSame ? before?.status?.used : undefined;
  const used = Object.entries(known ?? {}).filter(([name]) => Object.hasOwn(hard, name));
  (object as { status?: unknown }).status = { hard, used: Object.fromEntries(used) };
}

const sameAmounts = (a: Amounts, b: Amounts): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => a[name] === b[name]);

const USED = '"used":{';

/**
 * Derives the account that the store charges writes against.
 * @param stored encoded body of the object
 * @returns the body, with a place for what is used, and the tally
 */
export function accountOf(stored: Buffer, { object, old }: QuotaWrite): { body: Buffer; tally: Tally } {
  // Within texts a quotation mark has a backslash before it, and nothing else in a quota has such a key.
  const at = stored.lastIndexOf(USED);
  if (at < 0) return accountOf(withPlace(stored), { object, old, subresource: '', counted: false });
  const begin = at + USED.length - 1;
  const length = stored.indexOf('}', begin) + 1 - begin;
  const place = { fromEnd: stored.length - begin, length };
  const same = old !== undefined && sameTerms(termsOf(old), termsOf(object));
  return { body: stored, tally: { place, amounts: talliedOf(object as QuotaObject), sameTerms: same } };
}

/** Adds an empty `status.used` to a body that has none: nothing is used yet, and encoders omit empty maps. */
function withPlace(stored: Buffer): Buffer {
  const body = JSON.parse(stored.toString()) as { status?: object };
  return Buffer.from(JSON.stringify({ ...body, status: { ...body.status, used: {} } }));
}

function talliedOf({ status }: QuotaObject): Record<string, TalliedAmount> {
  const { hard = {}, used = {} } = status ?? {};
  const amounts = Object.entries(hard).flatMap(([name, text]) => {
    const [limit, amount] = [amountOf(text), amountOf(used[name])];
    if (!limit) return [];
    const binary = limit.format === 'binarySI';
    return [
      [name, { limit: decimalOf(limit.nanos), binary, ...(amount && { used: decimalOf(amount.nanos) }) }] as const,
    ];
  });
  return Object.fromEntries(amounts);
}
