import { type FieldError, invalidValue } from '@orch/machinery';
import type { Effort } from './effort.js';
import type { Steps } from './steps.js';

/** Location of a value: its name in messages ('' for the whole), and its path. */
export interface Place {
  readonly name: string;
  readonly field: string;
}

/** Creates the error when it is reported, since most that are found in one of several alternatives never are. */
export type Finding = () => FieldError;

/** Limits of an object's reported findings, and of the characters of all their messages. */
const MOST_ERRORS = 1_000;
const MOST_CHARACTERS = 1 << 20;
/** Characters of a message that cost as much as one comparison, and the fixed cost of a message. */
const CHARACTERS = 16;
const WRITTEN = 32;

/** The path to the current value, and the findings on it. */
export class Findings {
  /** Findings since the last {@link aside}. */
  list: Finding[] = [];
  readonly #path: (string | number)[] = [];
  #characters = 0;

  /** @param base path of the whole; '' for an object. @param effort budget for reporting */
  constructor(
    private readonly base: string,
    private readonly effort: Effort,
  ) {}

  /** Path of errors about the whole. */
  get whole(): string {
    return this.base || NOWHERE;
  }

  get isAtRoot(): boolean {
    return this.#path.length === 0;
  }

  enter(part: string | number): void {
    this.#path.push(part);
    this.#characters += typeof part === 'string' ? part.length : 1;
  }

  leave(): void {
    const part = this.#path.pop();
    this.#characters -= typeof part === 'string' ? part.length : 1;
  }

  /** Adds an error here. @param size characters of the message besides the path */
  report(error: (place: Place) => FieldError, size = 0): void {
    this.effort.compare(WRITTEN + Math.ceil((this.#characters + size) / CHARACTERS));
    if (this.list.length > MOST_ERRORS) return;
    const path = this.#path.slice();
    this.list.push(() => error(placeOf(this.base, path)));
  }

  /** Starts a separate list of findings, and returns the previous one. */
  aside(): Finding[] {
    const before = this.list;
    this.list = [];
    return before;
  }

  /** Adds findings of a separate list. */
  take(findings: readonly Finding[]): void {
    for (const finding of findings) if (this.list.length <= MOST_ERRORS) this.list.push(finding);
  }

  /** Returns the errors of the current findings; each message once. */
  errors(): FieldError[] {
    const reported = new Map<string, FieldError>();
    let characters = 0;
    for (const finding of this.list) {
      if (reported.size >= MOST_ERRORS || characters > MOST_CHARACTERS) {
        const rest = invalidValue(this.whole, '', 'more is wrong than can be told');
        return [...reported.values(), rest];
      }
      const error = finding();
      characters += error.message.length + error.field.length;
      reported.set(`${error.field} ${error.message}`, error);
    }
    return [...reported.values()];
  }
}

/** Limits the errors reported for one object. @param errors undefined where other work may run */
export function* limitedErrors(errors: Iterable<FieldError | undefined>): Steps<FieldError[]> {
  const reported: FieldError[] = [];
  let characters = 0;
  for (const error of errors) {
    if (!error) {
      yield;
      continue;
    }
    reported.push(error);
    characters += error.message.length + error.field.length;
    if (reported.length >= MOST_ERRORS || characters > MOST_CHARACTERS) break;
  }
  return reported;
}

/** Path of the whole in the reference's messages. */
const NOWHERE = '<nil>';

/**
 * Properties of the whole are written without a leading dot; other members of it with one, which {@link Findings.enter}
 * is given.
 */
function placeOf(base: string, path: readonly (string | number)[]): Place {
  let name = '';
  for (const part of path) name += typeof part === 'number' ? `[${part}]` : name === '' ? part : `.${part}`;
  const below = name.replace(/^\./, '');
  if (below === '') return { name, field: base || NOWHERE };
  return { name, field: base === '' ? below : `${base}.${below}` };
}
