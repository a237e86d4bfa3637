import type { SqlParameter } from '../connections/connection.js';
import type { TypeId } from '../face/key.js';
import type { Charge, Exceeded, Tally, WriteOp } from '../face/store.js';
import { int2Array, int4Array, int8Array, textArray } from './arrays.js';

/** Pattern of a decimal number. */
const DECIMAL = /^-?\d{1,40}(\.\d{1,20})?$/;
/** Pattern of an amount's name: characters that need no escaping in a JSON body. */
const AMOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,400}$/;

/** @throws TypeError for charges that cannot be checked, or would corrupt the body of an account */
export function checkCharging({ charging, ...op }: WriteOp): void {
  for (const { amounts } of charging?.charges ?? []) checkAmounts(Object.entries(amounts));
  const tally = 'tally' in op ? op.tally : undefined;
  if (!tally) return;
  const { place, amounts } = tally;
  checkAmounts(
    Object.entries(amounts).flatMap(([name, { limit, used = '0' }]) => [[name, limit] as const, [name, used]]),
  );
  if (!(place.length > 0 && place.length <= place.fromEnd && place.fromEnd <= ('body' in op ? op.body.length : 0)))
    throw new TypeError('the amounts of an account lie outside of its body');
}

function checkAmounts(amounts: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of amounts)
    if (!AMOUNT_NAME.test(name) || !DECIMAL.test(value)) throw new TypeError(`${name}: ${value} is no amount`);
}

/** Whether a write carries charges: it must be checked before it is applied, and needs the lane of the accounts. */
export const isCharged = ({ charging }: WriteOp): boolean => (charging?.charges?.length ?? 0) > 0;

/** An amount of an account that a batch charges. */
export interface ChargedAmount {
  readonly namespace: string;
  readonly account: string;
  readonly amount: string;
}

/** The last parameters of `commit_charged`, and the amounts in the order of its answer. */
interface ChargeParameters {
  readonly parameters: SqlParameter[];
  readonly amounts: readonly ChargedAmount[];
}

const NOTHING: readonly SqlParameter[] = Array.from({ length: 7 }, () => '{}');

/** @param ops of a batch, in the order in which they are carried out */
export function chargeParameters(ops: readonly WriteOp[], accountType: TypeId): ChargeParameters {
  const known = ops.some(({ charging }) => charging)
    ? int8Array(ops.map(({ charging }) => charging?.known ?? -1n))
    : '{}';
  const tallies = ops.some((op) => op.op !== 'delete' && op.tally) ? textArray(ops.map(tallyColumn)) : '{}';
  const first = [accountType, known, tallies];
  if (!ops.some(isCharged)) return { parameters: [...first, ...NOTHING], amounts: [] };
  const slots = new Slots();
  const [items, places, by, limited]: [number[], number[], string[], number[]] = [[], [], [], []];
  for (const [i, { namespace, charging }] of ops.entries())
    for (const charge of charging?.charges ?? [])
      for (const [amount, value] of Object.entries(charge.amounts)) {
        items.push(i + 1);
        places.push(slots.placeOf(namespace, charge, amount));
        by.push(value);
        limited.push(charge.limited ? 1 : 0);
      }
  const { all } = slots;
  const names = [
    all.map(({ namespace }) => namespace),
    all.map(({ account }) => account),
    all.map(({ amount }) => amount),
  ];
  const charges = [int4Array(items), int4Array(places), textArray(by), int2Array(limited)];
  return { parameters: [...first, ...names.map((column) => textArray(column)), ...charges], amounts: all };
}

/** Each amount once, from 1. */
class Slots {
  readonly all: ChargedAmount[] = [];
  readonly #places = new Map<string, number>();

  placeOf(namespace: string, { account }: Charge, amount: string): number {
    const key = `${namespace}\0${account}\0${amount}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.push({ namespace, account, amount }));
    return this.all.length;
  }
}

/** Encodes a tally as the database column of the same name; numbers are copied as text and so stay exact. */
function tallyColumn(op: WriteOp): string | null {
  const tally: Tally | undefined = op.op === 'delete' ? undefined : op.tally;
  if (!tally) return null;
  const { place, amounts, sameTerms = false } = tally;
  const each = Object.entries(amounts).map(([name, { limit, used, binary = false }]) => {
    const counted = used === undefined ? '' : `"used":${used},`;
    return `${JSON.stringify(name)}:{${counted}"limit":${limit},"binary":${binary}}`;
  });
  return `{"tail":${place.fromEnd},"size":${place.length},"same":${sameTerms},"of":{${each.join()}}}`;
}

/** Reads which amounts a write would have exceeded: of the first account in the order of the charges. */
export function readExceeded(note: string | null | undefined, amounts: readonly ChargedAmount[]): Exceeded[] {
  // Numbers are kept as text, as they could lose digits.
  const all = [...(note ?? '').matchAll(/\[(\d+),([^,\]]+),([^,\]]+)\]/g)].flatMap(([, place, used, limit]) => {
    const { account, amount } = amounts[Number(place) - 1] ?? {};
    if (account === undefined || amount === undefined || limit === undefined) return [];
    return [{ account, amount, ...(used !== undefined && used !== 'null' && { used }), limit }];
  });
  return all.filter(({ account }) => account === all[0]?.account);
}
