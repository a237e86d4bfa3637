import { servingProblems } from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, OptionsError } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { definitions } from './index.js';

const options = defineOptions(definitions as OptionDefinitions, (values) =>
  servingProblems(values as unknown as Parameters<typeof servingProblems>[0]),
);

/** What is wrong with arguments; undefined where nothing is. Anything else that is thrown fails the test. */
function problemsOf(...args: string[]): readonly string[] | undefined {
  try {
    options.parse(args);
    return undefined;
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    throw error;
  }
}

const RUBBISH = [
  ...[
    '',
    ' ',
    ',',
    '=',
    'a=b=c',
    ',a,,b',
    'no such thing',
    '-1',
    '1e400',
    '99999999999999999999',
    'NaN',
    '\0',
    '\n',
    '\ud800',
  ],
  ...['/no/such/file', 'http://[', '://', 'a:b:c', '::', '256.1.1.1', '10.0.0.0/33', '{}', '*', '-', '%zz', 'тест'],
];

describe('rubbish for', () => {
  it.each(Object.keys(definitions))('--%s is taken, or refused in a line', (name) => {
    for (const value of RUBBISH) {
      for (const problem of problemsOf(`--${name}=${value}`) ?? []) {
        expect(problem.replaceAll(JSON.stringify(value), '').replaceAll(value || ' ', '')).not.toMatch(/\n|^ +at /);
        expect(problem).not.toBe('');
      }
    }
  });
});

describe('what cannot be is refused at once', () => {
  it.each<[string, string]>([
    ['--authorization-mode=Nope', '--authorization-mode: authorization-mode "Nope" is not a valid mode'],
    ['--authorization-mode=', '--authorization-mode: at least one authorization-mode must be passed'],
    [
      '--authorization-mode=RBAC,RBAC',
      '--authorization-mode: authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
    ],
    ['--authorization-mode=Webhook', "authorization-mode Webhook's authorization config file not passed"],
    [
      '--authorization-webhook-config-file=/x',
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    ],
    ['--enable-admission-plugins=Nope', 'enable-admission-plugins plugin "Nope" is unknown'],
    ['--disable-admission-plugins=Nope', 'disable-admission-plugins plugin "Nope" is unknown'],
    ['--requestheader-username-headers= ', '--requestheader-username-headers: "" is not a header name'],
    ['--requestheader-username-headers=X-A, ,X-B', '--requestheader-username-headers: "" is not a header name'],
    ['--requestheader-group-headers=,X-A', '--requestheader-group-headers: "" is not a header name'],
    ['--requestheader-extra-headers-prefix=X-A,', '--requestheader-extra-headers-prefix: "" is not a header name'],
    ['--runtime-config=api/legacy', '--runtime-config: unknown api groups api'],
    ['--runtime-config=api/beta2=true', '--runtime-config: unknown api groups api'],
    ['--feature-gates=Nope=true', '--feature-gates: unrecognized feature gate: Nope'],
  ])('%s', (argument, problem) => {
    expect(problemsOf(argument)).toEqual([problem]);
  });

  it('in a line for both bounds of seats', () => {
    expect(problemsOf('--max-requests-inflight=0', '--max-mutating-requests-inflight=0')).toEqual([
      '--max-requests-inflight and --max-mutating-requests-inflight leave no seat for any request',
    ]);
  });

  it.each([[], ['--requestheader-username-headers='], ['--authorization-mode=RBAC', '--runtime-config=api/beta=true']])(
    'but not %j',
    (...args) => {
      expect(problemsOf(...args)).toBeUndefined();
    },
  );
});
