import type { AccessAnswer, AccessQuestion, ExpressionAuthorizer } from '../libraries/authorization.js';

/**
 * Adapts an asynchronous authorizer to expressions, which are synchronous: an expression with an unanswered question is
 * run again once the answer is there. The cost limit of an expression bounds the number of its questions.
 */
export class DeferredAuthorizer {
  readonly #answers = new Map<string, AccessAnswer | Error>();
  readonly #open = new Map<string, AccessQuestion>();

  /** @param ask rejects when it cannot decide, which fails the expression */
  constructor(private readonly ask: (question: AccessQuestion) => Promise<AccessAnswer>) {}

  /** The synchronous authorizer that expressions are given. */
  readonly authorizer: ExpressionAuthorizer = (question) => {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known instanceof Error) throw known;
    if (known) return known;
    this.#open.set(key, question);
    throw new Error('not asked yet');
  };

  /** Whether a question is unanswered. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Returns the result of `run` once all of its questions are answered. */
  async settled<T>(run: () => T): Promise<T> {
    for (;;) {
      const result = run();
      if (this.#open.size === 0) return result;
      const questions = [...this.#open];
      this.#open.clear();
      await Promise.all(questions.map(([key, question]) => this.#answer(key, question)));
    }
  }

  async #answer(key: string, question: AccessQuestion): Promise<void> {
    try {
      this.#answers.set(key, await this.ask(question));
    } catch (error) {
      this.#answers.set(key, error instanceof Error ? error : new Error(String(error)));
    }
  }
}
