/**
 * Settings for a database behind a pooler that lends a server session for one transaction: settings made for a session
 * would be lost, or seen by other clients, so each transaction begins with its own.
 */
export class PooledSettings {
  readonly #local: string;
  /**
   * A statement that sets all of them for the transaction in which it runs. It fails (25001) when that transaction
   * would not see at each statement what was committed before, which can be the default of its user or database.
   */
  readonly statement: string;

  constructor(settings: readonly (readonly [name: string, value: string])[]) {
    this.#local = settings.map(([name, value]) => `SET LOCAL ${name} = '${value}'`).join('; ');
    const whole = [...settings, ['transaction_isolation', 'read committed'] as const];
    this.statement = `SELECT ${whole.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`;
  }

  /**
   * Returns statements behind the settings, in one transaction. Unlike a SELECT they take no snapshot, which is left to
   * the first of the given statements.
   */
  before(text: string): string {
    const begin = /^BEGIN[^;]*/.exec(text)?.[0];
    if (begin === undefined) return `${this.#local}; ${text}`;
    return `${begin}; ${this.#local}${text.slice(begin.length)}`;
  }
}
