import type { TestModule } from 'vitest/node';

/** Returns the skipped tests of a file by their full names, and suites without tests because their input is absent. */
export function skippedIn({ children }: TestModule): string[] {
  const suites = [...children.allSuites()].filter(
    (suite) => suite.state() === 'skipped' && [...suite.children].length === 0,
  );
  const tests = [...children.allTests('skipped')];
  return [...suites, ...tests].map(({ fullName }) => fullName);
}
