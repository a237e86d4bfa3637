/** Answer of an extender. */
export interface ExtenderAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Body, parsed from JSON; anything where the status is not 200. */
  readonly body: unknown;
}

/** Calls of one extender, over a connection as its configuration describes it. */
export interface ExtenderCall {
  /**
   * Posts JSON. The body may hold whole numbers as bigint.
   * @throws Error where there is no answer within the time, or one that is no JSON
   */
  post(url: string, body: unknown, timeoutMs: number): Promise<ExtenderAnswer>;
}
