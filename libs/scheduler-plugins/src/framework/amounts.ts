import { parseQuantity } from '@orch/machinery';

/** Resources of a list in a spec or status: texts of quantities by name. */
type ResourceList = Readonly<Record<string, string>>;

/** The largest number of texts whose amounts are remembered. */
const MAX_REMEMBERED = 4_096;
const remembered = new Map<string, number>();

/**
 * Returns the amount of a resource as the scheduler counts it: CPU in millicores, everything else in whole units (bytes
 * or pieces), both rounded up. Amounts beyond 2^53 lose their last digits. @throws QuantityError
 */
export function amountOf(name: string, text: string): number {
  const memo = name === 'cpu' ? `m${text}` : text;
  const known = remembered.get(memo);
  if (known !== undefined) return known;
  const quantity = parseQuantity(text);
  const amount = Number(name === 'cpu' ? quantity.milliValue() : quantity.value());
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(memo, amount);
  return amount;
}

/** Amounts of resources by name; a resource that is not named counts as 0. */
export class RequestAmounts {
  /** Millicores. */
  cpu = 0;
  /** Bytes. */
  memory = 0;
  /** Bytes. */
  ephemeralStorage = 0;
  #others: Map<string, number> | undefined;

  /** Returns the amounts of a resource list, without `pods`. @throws QuantityError */
  static of(list: ResourceList | undefined): RequestAmounts {
    const amounts = new RequestAmounts();
    for (const name in list) if (name !== 'pods') amounts.set(name, amountOf(name, list[name] as string));
    return amounts;
  }

  /** Resources other than CPU, memory and ephemeral storage that are named here. */
  get others(): Iterable<[name: string, amount: number]> {
    return this.#others ?? [];
  }

  /** Whether any amount is not 0. */
  get isAny(): boolean {
    if (this.cpu !== 0 || this.memory !== 0 || this.ephemeralStorage !== 0) return true;
    return this.#others !== undefined && this.#others.size > 0;
  }

  /** Returns the amount of a resource. */
  get(name: string): number {
    switch (name) {
      case 'cpu':
        return this.cpu;
      case 'memory':
        return this.memory;
      case 'ephemeral-storage':
        return this.ephemeralStorage;
      default:
        return this.#others?.get(name) ?? 0;
    }
  }

  /** Replaces the amount of a resource. */
  set(name: string, amount: number): void {
    if (name === 'cpu') this.cpu = amount;
    else if (name === 'memory') this.memory = amount;
    else if (name === 'ephemeral-storage') this.ephemeralStorage = amount;
    else {
      this.#others ??= new Map();
      this.#others.set(name, amount);
    }
  }

  /** Whether all amounts are exact, so that what was added can be subtracted again. */
  get isExact(): boolean {
    if (Math.max(this.cpu, this.memory, this.ephemeralStorage) > Number.MAX_SAFE_INTEGER) return false;
    for (const [, amount] of this.others) if (amount > Number.MAX_SAFE_INTEGER) return false;
    return true;
  }

  /** Adds other amounts. */
  add(other: RequestAmounts): void {
    this.cpu += other.cpu;
    this.memory += other.memory;
    this.ephemeralStorage += other.ephemeralStorage;
    for (const [name, amount] of other.others) this.set(name, this.get(name) + amount);
  }

  /** Subtracts other amounts, which were added before. Names that come to 0 are forgotten: users choose them. */
  subtract(other: RequestAmounts): void {
    this.cpu -= other.cpu;
    this.memory -= other.memory;
    this.ephemeralStorage -= other.ephemeralStorage;
    for (const [name, amount] of other.others) {
      const left = this.get(name) - amount;
      if (left === 0) this.#others?.delete(name);
      else this.set(name, left);
    }
  }

  /** Raises each amount to that of another where that is larger. */
  raiseTo(other: RequestAmounts): void {
    this.cpu = Math.max(this.cpu, other.cpu);
    this.memory = Math.max(this.memory, other.memory);
    this.ephemeralStorage = Math.max(this.ephemeralStorage, other.ephemeralStorage);
    for (const [name, amount] of other.others) this.set(name, Math.max(this.get(name), amount));
  }

  /** Returns a copy. */
  copy(): RequestAmounts {
    const copy = new RequestAmounts();
    copy.add(this);
    return copy;
  }
}
