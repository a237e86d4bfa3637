import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseYaml, stringifyJson, stringifyYaml } from '@orch/codec';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goProgram } from './go-program.js';
import { install, installed, needed } from './installed.js';

const PYYAML = '6.0.3';
const DOCUMENTS = 2_000;
const SEED = 20261127;

/** Parses texts with another program, which reads a JSON text and answers a line of JSON for each. */
type Reader = (texts: readonly string[]) => unknown[];

function reader(command: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Reader {
  return (texts) => {
    const input = texts.map((text) => `${JSON.stringify(text)}\n`).join('');
    const options = { input, encoding: 'utf8', maxBuffer: 64 << 20, env: { ...process.env, ...env } } as const;
    const lines = execFileSync(command, args, options).trimEnd().split('\n');
    return lines.map((line): unknown => JSON.parse(line));
  };
}

/** Values as objects hold them; texts of every character that UTF-8 can hold. */
function values(): unknown[] {
  const special = [
    'yes',
    'On',
    '~',
    'null',
    '0o7',
    '0x1',
    '1_0',
    '1:30',
    '2026-01-02',
    '<<',
    '=',
    '!x',
    '&x',
    '\u0085',
    '\u2028',
  ];
  const text = fc.oneof(
    fc.constantFrom(...special, 'a \u{1f600}\nb', '\u{10ffff}', '\ufffe'),
    fc.string({ unit: 'binary' }),
  );
  const leaf = fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const key = text.filter((name) => name !== '__proto__');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  return fc.sample(tree, { seed: SEED, numRuns: DOCUMENTS });
}

/** Normalizes a value to what JSON can express; of bytes that are not text only their presence. */
const asJson = (value: unknown): unknown => JSON.parse(stringifyJson(value).replaceAll(/\ufffd+/g, '\ufffd'));

describe('YAML', () => {
  const build = goProgram('go-yaml');
  const go: Reader = (texts) => reader(build())(texts);
  const python: Reader = (texts) => {
    const command = needed('python3', 'Python 3.9 or later, with pip');
    const folder = installed(`pyyaml-${PYYAML}`, (target) => {
      install(command, ['-m', 'pip', 'install', '--no-compile', '--target', target, `PyYAML==${PYYAML}`]);
    });
    const program = fileURLToPath(new URL('./python/read_yaml.py', import.meta.url));
    return reader(command, [program], { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' })(texts);
  };

  test.each([
    ['Go', go],
    ['Python', python],
  ])('that answers are written in is read by %s as it was meant', (_name, read) => {
    const written = values().map((value) => ({ value: asJson(value), text: stringifyYaml(value) }));
    const found = read(written.map(({ text }) => text));
    expect(found).toHaveLength(written.length);
    for (const [at, { value, text }] of written.entries()) expect(found[at], text).toEqual(value);
  });

  test('that is sent is read as Go reads it', () => {
    const found = go(TEXTS);
    expect(TEXTS.map(ours)).toEqual(found.map((value) => (isRefusal(value) ? 'refused' : asJson(value))));
  });
});

function ours(text: string): unknown {
  try {
    return asJson(parseYaml(text).value);
  } catch {
    return 'refused';
  }
}

const isRefusal = (value: unknown): boolean => typeof value === 'object' && value !== null && 'refused' in value;

const TAGS = [
  '!!binary',
  '!!timestamp',
  '!!int',
  '!!float',
  '!!bool',
  '!!null',
  '!!str',
  '!',
  '!foo',
  '!!foo',
  '!<tag:x,2026:y>',
];
const SCALARS = [
  ...[
    'YWJj',
    '"YW Jj"',
    'x',
    '/w==',
    '2026-01-02',
    '2026-1-2T3:4:5Z',
    '2026-01-02 03:04:05.5',
    '2026-01-02T03',
    'foo',
    'yes',
    '~',
  ],
  ...[
    '1',
    '"1"',
    '-1.5',
    '.5',
    '1e3',
    '1e400',
    '.inf',
    '',
    '0x1F',
    '0o17',
    '017',
    '08',
    '0b11',
    '1_0.5',
    '.1_0',
    '.1_',
    '0_',
  ],
  ...[
    '18446744073709551615',
    '18446744073709551616',
    '-9223372036854775809',
    '0xfffffffffffffffff',
    '1:30',
    '+1',
    '+.5',
    '{b: 1}',
    '[1]',
  ],
];
const TEXTS = [
  ...['', ...TAGS].flatMap((tag) => SCALARS.map((scalar) => `a: ${tag} ${scalar}`)),
  ...[
    'a: 1\n---\n',
    'a: 1\n---',
    '---\na: 1\n---\n# x\n',
    'a: 1\n---\nb: 2',
    'a: 1\n---\n[}',
    '---\n---\na: 1',
    'a: 1\n...\nb: 1',
  ],
  ...[
    '!!binary YQ==: 1',
    '!foo a: 1',
    '!foo\na: 1',
    'a: &x !foo 1\nb: *x',
    '%TAG ! tag:x,2026:\n---\na: !foo 1',
    'a: {!!merge <<: {b: 1}}',
  ],
  ...[
    'a: !!binary |\n  YWJj\n  ZGVm\n',
    'a: !!set {b}',
    'a: !!omap [b: 1]',
    'a: !!map x',
    'a: !!seq {b: 1}',
    'a: "\\U0001F600\\ufffe"',
  ],
];
