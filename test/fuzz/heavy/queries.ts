import { CORE, type HeavyRequest } from './heavy-request.js';

/** A head may be 16 KiB long, all of its lines together. */
const ROOM = 14_000;
const many = (piece: (index: number) => string, separator = ','): string => {
  const pieces: string[] = [];
  for (let [i, room] = [0, ROOM]; ; i++) {
    const next = piece(i);
    room -= next.length + separator.length;
    if (room < 0) return pieces.join(separator);
    pieces.push(next);
  }
};

const QUERIES: readonly (readonly [string, string])[] = [
  ['labels', `labelSelector=${many((i) => `a${i}`)}`],
  ['one label', `labelSelector=${many(() => 'a')}`],
  ['values of a label', `labelSelector=a+in+(${many((i) => `${i}`)})`],
  ['no values', `labelSelector=a+in+(${many(() => '')})`],
  ['brackets', `labelSelector=${'('.repeat(ROOM)}`],
  ['exclamation marks', `labelSelector=${'!'.repeat(ROOM)}`],
  ['blanks', `labelSelector=a${'+'.repeat(ROOM)}b`],
  ['a long label', `labelSelector=${'a-'.repeat(ROOM / 2)}!`],
  ['commas', `labelSelector=${','.repeat(ROOM)}`],
  ['fields', `fieldSelector=${many((i) => `a${i}=b`)}`],
  ['one field', `fieldSelector=${many(() => 'metadata.name=b')}`],
  ['one field that is another', `fieldSelector=${many(() => 'metadata.name!=b')}`],
  ['backslashes', `fieldSelector=a=${'%5C'.repeat(ROOM / 3)}`],
  ['escapes', `fieldSelector=${'%5Ca'.repeat(ROOM / 4)}`],
  ['a field of exclamation marks', `fieldSelector=${'!'.repeat(ROOM)}`],
  ['parameters', many((i) => `p${i}`, '&')],
  ['one parameter', many(() => 'dryRun=All', '&')],
  ['a version', `resourceVersion=${'7'.repeat(ROOM)}`],
  ['a limit', `limit=${'7'.repeat(ROOM)}`],
  ['a token', `continue=${'eyJ2'.repeat(ROOM / 4)}`],
  ['percents', `a=${'%25'.repeat(ROOM / 3)}`],
];

const HEADERS: readonly (readonly [string, string])[] = [
  ['Accept', many(() => 'a/b;q=0.1')],
  ['Accept', `application/json${';a=b'.repeat(ROOM / 4)}`],
  ['Accept', ' ,'.repeat(ROOM / 2)],
  ['Accept', `${'a'.repeat(ROOM)}`],
  ['Accept-Encoding', many(() => 'gzip;q=0')],
  ['Accept-Encoding', `gzip${' '.repeat(ROOM)};q=x`],
  ['Content-Type', `application/json${';'.repeat(ROOM)}`],
  ['Content-Type', `application/json; ${'a="\\\\";'.repeat(ROOM / 8)}`],
  ['User-Agent', 'a/'.repeat(ROOM / 2)],
  ['traceparent', '0-'.repeat(ROOM / 2)],
  ['If-None-Match', many((i) => `"${i}"`)],
  ['X-Remote-Group', 'a,'.repeat(ROOM / 2)],
];

const MAPS = `${CORE}/configmaps`;

export const queries: readonly HeavyRequest[] = [
  ...QUERIES.flatMap(([name, query]): HeavyRequest[] => [
    { name: `query: ${name}`, method: 'GET', path: `${MAPS}?${query}` },
    { name: `query, watched: ${name}`, method: 'GET', path: `${MAPS}?watch=1&timeoutSeconds=1&${query}` },
    { name: `query, deleted: ${name}`, method: 'DELETE', path: `${CORE}/secrets?dryRun=All&${query}` },
  ]),
  ...HEADERS.map(
    ([header, value], at): HeavyRequest => ({
      name: `header: ${header} (${at})`,
      method: 'GET',
      path: MAPS,
      headers: { [header]: value },
    }),
  ),
  { name: 'path: slashes', method: 'GET', path: '/'.repeat(ROOM) },
  { name: 'path: segments', method: 'GET', path: `/api${'/a'.repeat(ROOM / 2)}` },
  { name: 'path: dots', method: 'GET', path: `/api${'/..'.repeat(ROOM / 3)}` },
  { name: 'path: percents', method: 'GET', path: `/api/v1/${'%25'.repeat(ROOM / 3)}` },
];
