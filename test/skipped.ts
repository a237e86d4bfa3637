import type { TestModule } from 'vitest/node';

/** What a file holds that was left out: full names of tests, and of suites that hold none because what they read is absent. */
export function skippedIn({ children }: TestModule): string[] {
  const suites = [...children.allSuites()].filter(
    (suite) => suite.state() === 'skipped' && [...suite.children].length === 0,
  );
  const tests = [...children.allTests('skipped')];
  return [...suites, ...tests].map(({ fullName }) => fullName);
}
