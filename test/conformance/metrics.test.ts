import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conformanceWithoutNames, expectStatus } from './conformance.js';

const REFERENCE = new URL('../../docs/reference.md', import.meta.url);

interface Described {
  readonly type: string;
  readonly stability: string;
  readonly help: string;
}

/** What is not shown goes with `(deprecated …, hidden)`. */
const ROW =
  /^\| `([a-z_0-9]+)` \| (counter|gauge|histogram) \| (\w*) \| .*? \| (.*?)( \(deprecated since [\d.]+(, hidden)?\))? \|$/;

function onThePage(): Map<string, Described> {
  const rows = readFileSync(REFERENCE, 'utf8')
    .split('\n')
    .map((line) => ROW.exec(line))
    .filter((row) => row !== null && row[6] === undefined);
  return new Map(
    rows.map((row) => {
      const [, name = '', type = '', stability = '', help = ''] = row ?? [];
      return [name, { type, stability, help }];
    }),
  );
}

function inAnswer(text: string): [name: string, Described][] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  return [...text.matchAll(/^# HELP (\S+) (?:\[(\w+)\] )?(?:\(Deprecated since \S+\) )?(.*)$/gm)].map(
    ([, name = '', stability = '', help = '']) => [name, { type: types.get(name) ?? '', stability, help }],
  );
}

conformanceWithoutNames('Metrics [Monitoring]', ({ api }) => {
  test('are those that the reference lists', async () => {
    const answers = await Promise.all(['/metrics', '/metrics/slis'].map((path) => api.get(path)));
    const served = new Map(answers.flatMap((answer) => inAnswer(expectStatus(answer, 200).text)));
    const listed = onThePage();
    expect(listed.size).toBeGreaterThan(100);
    expect([...served.keys()].sort()).toEqual([...listed.keys()].sort());
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(listed));
  });
});
