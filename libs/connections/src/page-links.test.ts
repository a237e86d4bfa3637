import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Links } from './links.js';
import { PageLinks } from './page-links.js';

const PREFIX = '/api/v1/namespaces/ns/pods/p/proxy';
const links = new Links({ prefix: PREFIX, backend: '10.0.0.1:80', host: 'api.example:6443' });

describe('a link', () => {
  it.each([
    ['/', `${PREFIX}/`],
    ['/a/b?c=/d#e', `${PREFIX}/a/b?c=/d#e`],
    [`${PREFIX}/a`, `${PREFIX}/a`],
    [PREFIX, PREFIX],
    [`${PREFIX}-other`, `${PREFIX}${PREFIX}-other`],
    ['http://10.0.0.1:80/a', `${PREFIX}/a`],
    ['http://10.0.0.1:80', `${PREFIX}/`],
    ['//10.0.0.1:80/a', `${PREFIX}/a`],
    ['https://api.example:6443/a', `https://api.example:6443${PREFIX}/a`],
    ['https://elsewhere/a', 'https://elsewhere/a'],
    ['//elsewhere/a', '//elsewhere/a'],
    ['a/b', 'a/b'],
    ['#a', '#a'],
    ['?a', '?a'],
    ['', ''],
    ['mailto:a@b', 'mailto:a@b'],
    ['javascript:void(0)', 'javascript:void(0)'],
  ])('%j becomes %j', (link, led) => {
    expect(links.led(link)).toBe(led);
  });
});

describe('a page', () => {
  async function rewritten(pieces: readonly string[]): Promise<string> {
    const out: Buffer[] = [];
    const source = Readable.from(pieces.map((piece) => Buffer.from(piece)));
    for await (const bytes of source.pipe(new PageLinks(links))) out.push(bytes as Buffer);
    return Buffer.concat(out).toString();
  }

  it.each([
    ['<a href="/x">y</a>', `<a href="${PREFIX}/x">y</a>`],
    ['<A HREF=\'/x\' class="/x">', `<A HREF='${PREFIX}/x' class="/x">`],
    ['<img alt="a > b" src=/x>', `<img alt="a > b" src=${PREFIX}/x>`],
    ['<form action = "/x">', `<form action = "${PREFIX}/x">`],
    ['<p href="/x">', '<p href="/x">'],
    ['1 < 2 <b>é</b> <', '1 < 2 <b>é</b> <'],
    ['<script>if (a<b) c="</x>"</script><a href="/x">', `<script>if (a<b) c="</x>"</script><a href="${PREFIX}/x">`],
    ['<link href="/a"/><link href="/b"/>', `<link href="${PREFIX}/a"/><link href="${PREFIX}/b"/>`],
  ])('%j', async (page, expected) => {
    expect(await rewritten([page])).toBe(expected);
    // In whatever pieces it comes.
    expect(await rewritten([...page].map(String))).toBe(expected);
  });

  it('of more than 4 MiB keeps the links behind that', async () => {
    const piece = '<a href="/x">'.padEnd(1 << 16, 'x');
    const led = piece.replace('/x', `${PREFIX}/x`);
    const open = '<a href="/y'.padStart(1 << 16, 'x');
    expect(await rewritten([...Array(63).fill(piece), open, '">', piece])).toBe(`${led.repeat(63)}${open}">${piece}`);
  });

  it('keeps the bytes of what is no text', async () => {
    const page = 'é<a href="/ü">€</a>';
    expect(await rewritten([page])).toBe(page.replace('/ü', `${PREFIX}/ü`));
  });

  it('does not wait for the end of a tag that has none', async () => {
    const endless = `<a ${'x'.repeat(200_000)}`;
    expect(await rewritten([endless])).toBe(endless);
  });

  it('looks at a character once, however small the pieces of a tag are', () => {
    const page = new PageLinks(links).resume();
    const begun = process.cpuUsage();
    page.write('<a');
    for (let at = 0; at < 64 << 10; at++) page.write(at === 0 ? ' ' : 'x');
    const { user, system } = process.cpuUsage(begun);
    // Reading the tag from its beginning for each piece takes ten seconds.
    expect(user + system).toBeLessThan(2_000_000);
  });

  it('passes on a tag that is too long in small pieces', async () => {
    const endless = `<a ${'x'.repeat(66_000)}`;
    // What comes behind is read anew.
    expect(await rewritten([...`${endless}<a href="/x">`])).toBe(`${endless}<a href="${PREFIX}/x">`);
  });
});
