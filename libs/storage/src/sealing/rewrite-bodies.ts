import type { Key, TypeId } from '../face/key.js';
import type { Row, Store } from '../face/store.js';
import type { TypeName } from '../face/type-name.js';
import { type BodyCipher, typeText, UnreadableBodyError } from './body-cipher.js';

/** Rows that are read together, and writes in progress at a time. */
const PAGE = 500;
const TOGETHER = 16;
/** Attempts at an object that is written concurrently all the while. */
const ATTEMPTS = 10;

/** Settings of a rewrite: the bodies to rewrite, and their cipher. */
export interface RewriteOrder {
  /** The underlying store, without a cipher. */
  readonly store: Pick<Store, 'registerTypes' | 'snapshot' | 'get' | 'write'>;
  /** The cipher that bodies are opened with, and sealed with again. */
  readonly cipher: BodyCipher;
  /** All types that may have objects. */
  readonly types: readonly TypeName[];
  /** Objects written in a second at most. */
  readonly rate: number;
  /** Only counts. */
  readonly dryRun?: boolean;
  /** Called between objects; true ends it early. */
  readonly stopped?: () => boolean;
  /** Called with the progress of a type, after each page and at its end. */
  readonly onProgress?: (type: string, so: Rewritten, ended: boolean) => void;
  /** Called for each object that cannot be read. */
  readonly onUnreadable?: (error: UnreadableBodyError) => void;
}

/** How many objects there were. */
export interface Rewritten {
  /** Objects that were in the current form already. */
  readonly current: number;
  /** Objects that were rewritten; or, when only counting, that would be. */
  readonly rewritten: number;
  /** Objects that cannot be opened; they stay as they are. */
  readonly unreadable: number;
}

/**
 * Rewrites every object whose stored form is not the one that the cipher makes now: encrypted with another key, not
 * encrypted, or not to be encrypted any more. A second run only checks what is done, so an aborted run can be resumed.
 * History keeps the old forms until it is dropped.
 * @returns counts over all types
 * @throws StoreUnavailableError, UnsealableBodyError
 */
export async function rewriteBodies(order: RewriteOrder): Promise<Rewritten> {
  const all = { current: 0, rewritten: 0, unreadable: 0 };
  const ids = await order.store.registerTypes(order.types);
  for (const [i, name] of order.types.entries()) {
    if (order.stopped?.()) break;
    const counted = await new TypeRewriting(order, name, ids[i] ?? 0).run();
    all.current += counted.current;
    all.rewritten += counted.rewritten;
    all.unreadable += counted.unreadable;
  }
  return all;
}

class TypeRewriting {
  readonly #counted = { current: 0, rewritten: 0, unreadable: 0 };

  constructor(
    private readonly order: RewriteOrder,
    private readonly name: TypeName,
    private readonly type: TypeId,
  ) {}

  /** Rewrites page by page, each of a state of its own: no snapshot is open during writes. */
  async run(): Promise<Rewritten> {
    const { store, stopped, onProgress } = this.order;
    for (let after: Key | undefined, ended = false; !ended && !stopped?.(); ) {
      const rows: Row[] = [];
      const { pages } = await store.snapshot({ type: this.type, limit: PAGE, ...(after && { after }) });
      for await (const page of pages) rows.push(...page);
      for (let at = 0; at < rows.length && !stopped?.(); at += TOGETHER)
        await this.#some(rows.slice(at, at + TOGETHER));
      const last = rows.at(-1);
      if (last) after = { namespace: last.namespace, name: last.name };
      ended = rows.length < PAGE;
      if (rows.length > 0) onProgress?.(typeText(this.name), this.#counted, ended);
    }
    return this.#counted;
  }

  async #some(rows: readonly Row[]): Promise<void> {
    const began = performance.now();
    const isDue = (row: Row) => !this.order.cipher.isCurrent(this.name, row, row.body);
    const work = rows.map((row): [due: boolean, done: Promise<void>] =>
      isDue(row) ? [true, this.#one(row)] : [false, this.#try(row)],
    );
    await Promise.all(work.map(([, done]) => done));
    const due = work.filter(([wasDue]) => wasDue).length;
    if (due === 0 || this.order.dryRun) return;
    const rest = (due / this.order.rate) * 1000 - (performance.now() - began);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }

  /** The form shows the key that it was made with, but not that it is intact. */
  async #try(row: Row): Promise<void> {
    if (await this.#opened(row)) this.#counted.current++;
  }

  async #one(found: Row): Promise<void> {
    const { store, cipher, dryRun } = this.order;
    let row: Row | undefined = found;
    for (let attempt = 1; row && !cipher.isCurrent(this.name, row, row.body); attempt++) {
      const body = await this.#opened(row);
      if (!body) return;
      if (dryRun || (await this.#write(row, body))) {
        this.#counted.rewritten++;
        return;
      }
      const { namespace, name } = row;
      if (attempt === ATTEMPTS)
        throw new Error(`${typeText(this.name)} "${namespace}/${name}" is being changed by others`);
      row = await store.get(this.type, row);
    }
    // Undefined after a concurrent write or deletion.
    if (row) await this.#try(row);
  }

  /** Opens a row's body; undefined, counted and reported, when it cannot be read. */
  async #opened(row: Row): Promise<Buffer | undefined> {
    const { cipher, onUnreadable } = this.order;
    try {
      return await cipher.open(this.name, row, row.body);
    } catch (error) {
      if (!(error instanceof UnreadableBodyError)) throw error;
      this.#counted.unreadable++;
      onUnreadable?.(error);
      return undefined;
    }
  }

  /** @returns false after a conflict with another writer */
  async #write({ namespace, name, version, storedVersion, defaults }: Row, body: Buffer): Promise<boolean> {
    const { outcome } = await this.order.store.write({
      op: 'update',
      type: this.type,
      ...{ namespace, name, version, storedVersion, defaults },
      body: this.order.cipher.seal(this.name, { namespace, name }, body) ?? body,
      terminating: isTerminating(body),
    });
    return outcome === 'committed';
  }
}

/** Whether a body has a deletionTimestamp, which the store records in a column beside it. */
function isTerminating(body: Buffer): boolean {
  const { metadata } = JSON.parse(body.toString()) as { metadata?: { deletionTimestamp?: unknown } };
  return metadata?.deletionTimestamp !== undefined;
}
