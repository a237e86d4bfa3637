import { CORE, filled, type HeavyRequest, MAX_BODY_BYTES, MAX_VALUES, post, ROOM_VALUES } from './heavy-request.js';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: heavy}\n';
const LINES = { separator: '\n', values: 0 };
/** Pieces that a document may hold, each of them so many values: a key is one as well. */
const most = (values: number) => ({ values: 0, count: Math.floor((MAX_VALUES - ROOM_VALUES) / values) });
const lines = (values: number) => ({ ...most(values), separator: '\n' });
/** A piece without a value takes so many pieces of text, of which there may be ten for each value that is allowed. */
const syntax = (lexemes: number) => lines(lexemes / 9);

const BODIES: readonly (readonly [string, () => Buffer])[] = [
  ['data of many keys', () => filled(`${HEAD}data:\n`, (i) => ` k${i}: v`, '', lines(2))],
  ['quoted data', () => filled(`${HEAD}data:\n`, (i) => ` "k${i}": "v"`, '', lines(2))],
  ['data in flow', () => filled(`${HEAD}data: {`, (i) => `k${i}: v`, '}', most(2))],
  ['a flow of numbers', () => filled(`${HEAD}x: [`, () => '0', ']', most(1))],
  ['a list of numbers', () => filled(`${HEAD}x:\n`, () => '- 0', '', lines(1))],
  ['empty items', () => filled(`${HEAD}x:\n`, () => '-', '', lines(1))],
  ['empty flows', () => filled(`${HEAD}x: [`, () => '{}', ']', most(2))],
  ['comments', () => filled(HEAD, () => '#', '', syntax(2))],
  ['more comments than are allowed', () => filled(HEAD, () => '#', '', LINES)],
  ['empty lines', () => filled(HEAD, () => '', '', syntax(1))],
  ['more empty lines than are allowed', () => filled(HEAD, () => '', '', LINES)],
  ['more numbers than are allowed', () => filled(`${HEAD}x:\n`, () => '- 0', '', LINES)],
  ['more keys than are allowed', () => filled(`${HEAD}data:\n`, (i) => ` k${i}: v`, '', LINES)],
  ['blanks', () => Buffer.from(`${HEAD}${' '.repeat(MAX_BODY_BYTES - HEAD.length)}`)],
  ['a long plain text', () => filled(`${HEAD}x: `, () => 'a b', '', { separator: ' ', values: 0 })],
  ['a long plain text of lines', () => filled(`${HEAD}x:\n`, () => ' a', '', LINES)],
  ['a long literal', () => filled(`${HEAD}data:\n a: |\n`, () => '  x', '', LINES)],
  ['a long folded text', () => filled(`${HEAD}data:\n a: >\n`, () => '  x', '', LINES)],
  [
    'a long quoted text of escapes',
    () => filled(`${HEAD}data: {a: "`, () => '\\n', '"}', { separator: '', values: 0 }),
  ],
  ['a long quoted text of lines', () => filled(`${HEAD}data: {a: "`, () => ' \\', ' "}', LINES)],
  ['a long single-quoted text', () => filled(`${HEAD}data: {a: '`, () => "''", "'}", { separator: '', values: 0 })],
  ['nested flows', () => Buffer.from(`${HEAD}x: ${'['.repeat(MAX_BODY_BYTES - HEAD.length - 3)}`)],
  ['nested lists', () => Buffer.from(`${'- '.repeat(MAX_BODY_BYTES / 2 - 1)}x`)],
  ['nested maps', () => filled('', (i) => `${' '.repeat(i)}a:`, '', LINES)],
  [
    'nested to what is allowed',
    () => filled(`${HEAD}x:\n`, () => `- ${'['.repeat(90)}${']'.repeat(90)}`, '', lines(91)),
  ],
  ['nested keys', () => Buffer.from(`${'? '.repeat(MAX_BODY_BYTES / 2 - 1)}x`)],
  ['anchors', () => filled(`${HEAD}x:\n`, (i) => `- &a${i} 0`, '', lines(1))],
  ['one anchor again and again', () => filled(`${HEAD}x:\n`, () => '- &a 0', '', lines(1))],
  ['aliases', () => filled(`${HEAD}y: &a 0\nx: [`, () => '*a', ']', most(2))],
  [
    'as many aliases as are allowed',
    () => filled(`${HEAD}y: &a 0\nx: [`, () => '*a', ']', { values: 0, count: 10_000 }),
  ],
  ['aliases that are allowed, behind many anchors', () => anchorsThenAliases(10_000)],
  ['aliases of the last of many anchors', () => anchorsThenAliases(20_000)],
  [
    'aliases of one long text',
    () => filled(`${HEAD}y: &a ${'x'.repeat(1 << 20)}\ndata:\n`, (i) => ` k${i}: *a`, '', lines(3)),
  ],
  ['aliases of aliases', () => laughs(9)],
  ['aliases of themselves', () => filled(`${HEAD}x: &a [`, () => '*a', ']')],
  ['aliases that name nothing', () => filled(`${HEAD}x: [`, () => '*nothing', ']')],
  ['one key again and again', () => filled(`${HEAD}data:\n`, () => ' a: b', '', lines(2))],
  ['two keys again and again', () => filled(`${HEAD}x:\n`, () => '- {a: 0, a: 1}', '', lines(5))],
  ['merge keys', () => filled(`${HEAD}y: &a {b: 0}\nx:\n`, () => '- {<<: *a}', '', lines(3))],
  [
    'merge keys of merge keys',
    () =>
      filled(`${HEAD}y: &a0 {b: 0}\n`, (i) => `y${i}: &a${i + 1} {<<: *a${i}, c${i}: 0}`, '', {
        ...LINES,
        count: 5000,
      }),
  ],
  ['tags', () => filled(`${HEAD}x:\n`, () => '- !!str 0', '', lines(1))],
  ['unknown tags', () => filled(`${HEAD}x:\n`, () => '- !u 0', '', lines(1))],
  ['binary tags', () => filled(`${HEAD}x:\n`, () => '- !!binary AAAA', '', lines(1))],
  ['a long integer', () => Buffer.from(`${HEAD}x: ${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 4)}`)],
  ['a long hexadecimal integer', () => Buffer.from(`${HEAD}x: 0x${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 6)}`)],
  ['a long integer that is none', () => Buffer.from(`${HEAD}x: ${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 5)}_!`)],
  ['many documents', () => filled(HEAD, () => '---', '', LINES)],
  ['errors', () => filled(`${HEAD}x:\n`, () => ' - ]', '', lines(1))],
  ['unclosed quotes', () => filled(`${HEAD}x:\n`, () => ' - "a', '', lines(1))],
  ['tabs', () => filled(`${HEAD}x:\n`, () => '\t- a', '', lines(1))],
  ['directives', () => filled('', () => '%YAML 1.1', `\n---\n${HEAD}`, syntax(2))],
  ['tag directives', () => filled('', (i) => `%TAG !${i}! tag:x,${i}:`, `\n---\n${HEAD}`, LINES)],
  [
    'JSON in YAML',
    () =>
      filled(
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"heavy"},"data":{',
        (i) => `"k${i}":""`,
        '},}',
        most(2),
      ),
  ],
  [
    'JSON for YAML',
    () =>
      filled('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"heavy"},"data":{', (i) => `"k${i}":""`, '}}'),
  ],
  ['explicit keys', () => filled(`${HEAD}data:\n`, (i) => ` ? k${i}\n : v`, '', lines(2))],
  ['unknown fields', () => filled(HEAD, (i) => `x${i}: 0`, '', lines(2))],
];

function anchorsThenAliases(aliases: number): Buffer {
  const { count } = most(2);
  const anchors = filled('y:\n', (i) => `- &a${i} 0`, '\n', { ...LINES, count }).toString();
  return filled(`${HEAD}${anchors}x: [`, () => `*a${count - 1}`, ']', { values: 0, count: aliases });
}

/** Each list holds the one before ten times. */
function laughs(levels: number): Buffer {
  const lines = [`${HEAD}a0: &a0 [${Array(10).fill('x').join(', ')}]`];
  for (let i = 1; i < levels; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return Buffer.from(lines.join('\n'));
}

export const yamlBodies: readonly HeavyRequest[] = BODIES.map(([name, body]) =>
  post(`yaml: ${name}`, `${CORE}/configmaps`, body, 'application/yaml'),
);
