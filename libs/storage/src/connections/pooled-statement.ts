import type { Submittable, Connection as Wire } from 'pg';
import type { TextRow } from '../reads/text-row.js';
import type { PooledSettings } from './pooled-settings.js';

/** The parts of the driver's connection that are used; its declared type leaves them out. */
interface ExtendedProtocol {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { text: string; name: string }): void;
  bind(message: { values: readonly (string | Buffer | null)[] }): void;
  execute(message: object): void;
  sync(): void;
}

/**
 * A statement with parameters that is prepared for this use only, preceded by the settings of its transaction: both
 * travel in one message and run in one transaction, which ends with them (PostgreSQL, "Extended Query", "Pipelining").
 */
export class PooledStatement implements Submittable {
  /** Every row, columns as text. */
  readonly rows: Promise<TextRow[]>;
  readonly #rows: TextRow[] = [];
  #resolve: (rows: TextRow[]) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly text: string,
    private readonly values: readonly unknown[],
    private readonly settings: PooledSettings,
  ) {
    this.rows = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Wire): void {
    const wire = connection as unknown as ExtendedProtocol;
    wire.stream.cork();
    try {
      this.#send(wire, this.settings.statement, []);
      this.#send(wire, this.text, this.values.map(onTheWire));
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  #send(wire: ExtendedProtocol, text: string, values: readonly (string | Buffer | null)[]): void {
    wire.parse({ text, name: '' });
    wire.bind({ values });
    wire.execute({});
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.#rows.push(fields);
  }

  handleReadyForQuery(): void {
    // The first row is the settings' answer.
    this.#resolve(this.#rows.slice(1));
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

const onTheWire = (value: unknown): string | Buffer | null =>
  value === null || value === undefined ? null : Buffer.isBuffer(value) ? value : String(value);
