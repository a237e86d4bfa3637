import { expect, test } from 'vitest';
import { type ConsentOutcome, type ConsentVersion, checkConsent, type Policy } from './consent.js';

const written = (outcome: ConsentOutcome, policy: Policy = 'strict') => [{ policy, stamp: 'a', outcome }];
const version = (more: Partial<ConsentVersion> = {}): ConsentVersion => ({
  policy: 'strict',
  version: 7,
  stamp: 'a',
  seen: 'a',
  ...more,
});
const committed = { at: 'committed', version: 7 } as const;
const unasked = { at: 'unasked', message: '' } as const;
const agreed = new Set(['a']);

const rulesOf = (...args: Parameters<typeof checkConsent>) => checkConsent(...args).map(({ rule }) => rule);

test.each<[string, Parameters<typeof checkConsent>, string[]]>([
  ['all is well', [written(committed), [version()], agreed], []],
  ['nobody knows', [written({ at: 'unknown' }), [version()], agreed], []],
  [
    'what fails open was not seen',
    [written(committed, 'lenient'), [version({ policy: 'lenient', seen: undefined })], new Set()],
    [],
  ],
  ['nobody agreed', [written(committed), [version()], new Set()], ['R.consent']],
  ['the mutation is missing', [written(committed), [version({ seen: undefined })], agreed], ['R.consent']],
  [
    'the mutation is that of another',
    [written(committed, 'lenient'), [version({ policy: 'lenient', seen: 'b' })], agreed],
    ['R.consent'],
  ],
  ['it was done twice', [written(committed), [version(), version({ version: 8 })], agreed], ['V1.unexplained']],
  ['it is lost', [written(committed), [], agreed], ['V3.lost']],
  ['it was refused and done', [written(unasked), [version()], agreed], ['V1.refused']],
  ['what fails open was refused', [written(unasked, 'lenient'), [], agreed], ['R.answer']],
  ['another answer', [written({ at: 'other', message: '' }), [], agreed], ['R.answer']],
])('%s', (_what, args, rules) => {
  expect(rulesOf(...args)).toEqual(rules);
});
