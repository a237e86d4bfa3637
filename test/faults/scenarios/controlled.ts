import type { Rule } from '../validators/violation.js';
import type { Scenario } from './scenario.js';

/** A negative control: passes when a rule was said to be broken, and only then. */
export function controlled(scenario: Scenario, caughtBy: Rule): Scenario {
  return {
    ...scenario,
    caughtBy,
    async run(settings) {
      const { violations, ...rest } = await scenario.run({ ...settings, expected: caughtBy });
      if (violations.some(({ rule }) => rule === caughtBy)) return { ...rest, violations: [] };
      const message = `not noticed; ${violations.length} other violations`;
      return { ...rest, violations: [{ rule: caughtBy, message }] };
    },
  };
}
