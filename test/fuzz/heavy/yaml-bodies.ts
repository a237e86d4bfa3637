import { CORE, filled, type HeavyRequest, MAX_BODY_BYTES, post } from './heavy-request.js';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: heavy}\n';
const LINES = { separator: '\n', values: 0 };

const BODIES: readonly (readonly [string, () => Buffer])[] = [
  ['data of many keys', () => filled(`${HEAD}data:\n`, (i) => ` k${i}: v`, '', LINES)],
  ['quoted data', () => filled(`${HEAD}data:\n`, (i) => ` "k${i}": "v"`, '', LINES)],
  ['data in flow', () => filled(`${HEAD}data: {`, (i) => `k${i}: v`, '}')],
  ['a flow of numbers', () => filled(`${HEAD}x: [`, () => '0', ']')],
  ['a list of numbers', () => filled(`${HEAD}x:\n`, () => '- 0', '', LINES)],
  ['empty items', () => filled(`${HEAD}x:\n`, () => '-', '', LINES)],
  ['empty flows', () => filled(`${HEAD}x: [`, () => '{}', ']')],
  ['comments', () => filled(HEAD, () => '#', '', LINES)],
  ['empty lines', () => filled(HEAD, () => '', '', LINES)],
  ['blanks', () => Buffer.from(`${HEAD}${' '.repeat(MAX_BODY_BYTES - HEAD.length)}`)],
  ['a long plain text', () => filled(`${HEAD}x: `, () => 'a b', '', { separator: ' ' })],
  ['a long plain text of lines', () => filled(`${HEAD}x:\n`, () => ' a', '', LINES)],
  ['a long literal', () => filled(`${HEAD}data:\n a: |\n`, () => '  x', '', LINES)],
  ['a long folded text', () => filled(`${HEAD}data:\n a: >\n`, () => '  x', '', LINES)],
  ['a long quoted text of escapes', () => filled(`${HEAD}data: {a: "`, () => '\\n', '"}', { separator: '' })],
  ['a long quoted text of lines', () => filled(`${HEAD}data: {a: "`, () => ' \\', ' "}', LINES)],
  ['a long single-quoted text', () => filled(`${HEAD}data: {a: '`, () => "''", "'}", { separator: '' })],
  ['nested flows', () => Buffer.from(`${HEAD}x: ${'['.repeat(MAX_BODY_BYTES - HEAD.length - 3)}`)],
  ['nested lists', () => Buffer.from(`${'- '.repeat(MAX_BODY_BYTES / 2 - 1)}x`)],
  ['nested maps', () => filled('', (i) => `${' '.repeat(i)}a:`, '', LINES)],
  ['nested to what is allowed', () => filled(`${HEAD}x:\n`, () => `- ${'['.repeat(90)}${']'.repeat(90)}`, '', LINES)],
  ['nested keys', () => Buffer.from(`${'? '.repeat(MAX_BODY_BYTES / 2 - 1)}x`)],
  ['anchors', () => filled(`${HEAD}x:\n`, (i) => `- &a${i} 0`, '', LINES)],
  ['one anchor again and again', () => filled(`${HEAD}x:\n`, () => '- &a 0', '', LINES)],
  ['aliases', () => filled(`${HEAD}y: &a 0\nx: [`, () => '*a', ']')],
  ['aliases of the last of many anchors', () => anchorsThenAliases()],
  [
    'aliases of one long text',
    () => filled(`${HEAD}y: &a ${'x'.repeat(1 << 20)}\ndata:\n`, (i) => ` k${i}: *a`, '', LINES),
  ],
  ['aliases of aliases', () => laughs(9)],
  ['aliases of themselves', () => filled(`${HEAD}x: &a [`, () => '*a', ']')],
  ['aliases that name nothing', () => filled(`${HEAD}x: [`, () => '*nothing', ']')],
  ['one key again and again', () => filled(`${HEAD}data:\n`, () => ' a: b', '', LINES)],
  ['two keys again and again', () => filled(`${HEAD}x:\n`, () => '- {a: 0, a: 1}', '', LINES)],
  ['merge keys', () => filled(`${HEAD}y: &a {b: 0}\nx:\n`, () => '- {<<: *a}', '', LINES)],
  [
    'merge keys of merge keys',
    () =>
      filled(`${HEAD}y: &a0 {b: 0}\n`, (i) => `y${i}: &a${i + 1} {<<: *a${i}, c${i}: 0}`, '', {
        ...LINES,
        count: 5000,
      }),
  ],
  ['tags', () => filled(`${HEAD}x:\n`, () => '- !!str 0', '', LINES)],
  ['unknown tags', () => filled(`${HEAD}x:\n`, () => '- !u 0', '', LINES)],
  ['binary tags', () => filled(`${HEAD}x:\n`, () => '- !!binary AAAA', '', LINES)],
  ['a long integer', () => Buffer.from(`${HEAD}x: ${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 4)}`)],
  ['a long hexadecimal integer', () => Buffer.from(`${HEAD}x: 0x${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 6)}`)],
  ['a long integer that is none', () => Buffer.from(`${HEAD}x: ${'7'.repeat(MAX_BODY_BYTES - HEAD.length - 5)}_!`)],
  ['many documents', () => filled(HEAD, () => '---', '', LINES)],
  ['errors', () => filled(`${HEAD}x:\n`, () => ' - ]', '', LINES)],
  ['unclosed quotes', () => filled(`${HEAD}x:\n`, () => ' - "a', '', LINES)],
  ['tabs', () => filled(`${HEAD}x:\n`, () => '\t- a', '', LINES)],
  ['directives', () => filled('', () => '%YAML 1.1', HEAD, LINES)],
  ['tag directives', () => filled('', (i) => `%TAG !${i}! tag:x,${i}:`, `\n---\n${HEAD}`, LINES)],
  [
    'JSON in YAML',
    () =>
      filled('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"heavy"},"data":{', (i) => `"k${i}":""`, '},}'),
  ],
  [
    'JSON for YAML',
    () =>
      filled('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"heavy"},"data":{', (i) => `"k${i}":""`, '}}'),
  ],
  ['explicit keys', () => filled(`${HEAD}data:\n`, (i) => ` ? k${i}\n : v`, '', LINES)],
  ['unknown fields', () => filled(HEAD, (i) => `x${i}: 0`, '', LINES)],
];

function anchorsThenAliases(): Buffer {
  const anchors = filled('y:\n', (i) => `- &a${i} 0`, '\n', { ...LINES, bytes: MAX_BODY_BYTES / 2 }).toString();
  const last = (anchors.match(/&/g)?.length ?? 1) - 1;
  const head = `${HEAD}${anchors}x: [`;
  return filled(head, () => `*a${last}`, ']');
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
