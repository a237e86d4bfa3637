import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { skippedIn } from './skipped.js';

/** The outcome of a run, as {@link OutcomeReporter} writes it. */
export interface Outcome {
  readonly files: readonly FileOutcome[];
  /** Errors that belong to no file: a worker that died. */
  readonly errors: readonly string[];
}

export interface FileOutcome {
  /** Path of the file. */
  readonly name: string;
  /**
   * Every test of it has ended, at least one of them well, and none failed; nothing was rejected meanwhile that nobody waited for; none was
   * left out either where `CI` is set.
   */
  readonly passed: boolean;
  readonly milliseconds: number;
  /** Name and message of each failure. */
  readonly failures: readonly string[];
}

const ENDED: ReadonlySet<string> = new Set(['passed', 'skipped']);
const LONGEST = 1_000;

/** Writes the {@link Outcome} of a run, as JSON, where `TEST_OUTCOME` says. */
export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const names = new Set(modules.map(({ moduleId }) => moduleId));
    const files = modules.map((module) =>
      outcomeOf(
        module,
        unhandled.filter((error) => pathOf(error) === module.moduleId),
      ),
    );
    const outcome: Outcome = { files, errors: unhandled.filter((error) => !names.has(pathOf(error))).map(text) };
    writeFileSync(process.env.TEST_OUTCOME as string, JSON.stringify(outcome));
  }
}

/** Path of the file that ran when an error was thrown that nothing caught. */
const pathOf = ({ VITEST_TEST_PATH: path }: SerializedError): string => String(path);

function outcomeOf(module: TestModule, unhandled: readonly SerializedError[]): FileOutcome {
  const tests = [...module.children.allTests()];
  const states = tests.map((test) => test.result().state);
  const failures = tests.flatMap((test) => {
    const { state, errors = [] } = test.result();
    return ENDED.has(state)
      ? []
      : [`${test.fullName}: ${state === 'pending' ? 'did not end' : errors.map(text).join('\n')}`];
  });
  const leftOut = process.env.CI ? skippedIn(module) : [];
  return {
    name: module.moduleId,
    passed:
      module.ok() &&
      states.every((state) => ENDED.has(state)) &&
      states.length > 0 &&
      unhandled.length + leftOut.length === 0,
    milliseconds: module.diagnostic().duration,
    failures: [
      ...[...module.errors(), ...unhandled].map(text),
      ...failures,
      ...leftOut.map((name) => `${name}: left out`),
    ],
  };
}

const text = ({ name, message }: SerializedError): string => `${name ?? 'Error'}: ${message}`.slice(0, LONGEST);
