import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type TransformCallback } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { cutOff, passOn, passOnAs, type RequestContext } from '@orch/serving';
import type { Links } from './links.js';

/** Attributes of elements that hold a link. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['applet', 'codebase'],
  ['area', 'href'],
  ['audio', 'src'],
  ['base', 'href'],
  ['blockquote', 'cite'],
  ['body', 'background'],
  ['button', 'formaction'],
  ['command', 'icon'],
  ['del', 'cite'],
  ['embed', 'src'],
  ['form', 'action'],
  ['frame', 'longdesc|src'],
  ['head', 'profile'],
  ['html', 'manifest'],
  ['iframe', 'longdesc|src'],
  ['img', 'longdesc|src|usemap'],
  ['input', 'src|usemap|formaction'],
  ['ins', 'cite'],
  ['link', 'href'],
  ['object', 'classid|codebase|data|usemap'],
  ['q', 'cite'],
  ['script', 'src'],
  ['source', 'src'],
  ['video', 'poster|src'],
]);

/** Characters of a tag beyond which it is passed on as it is. */
const MOST_TAG = 64 << 10;

/** The beginning of a tag, or what may become one with the next bytes. */
const BEGIN = /<(?:[a-z]|$)/i;
/** The beginning of a tag: its name. */
const NAME = /^<([a-z][a-z0-9]*)(?=[\s/>])/i;
/** An attribute with its value in quotes, or without. */
const ATTRIBUTE = /([\s"'/])([a-z-]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi;

/** Leads the links of a page back below a proxy, tag by tag, as it comes; bytes are kept as they are. */
export class PageLinks extends Transform {
  #kept = '';

  constructor(private readonly links: Links) {
    super();
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let text = this.#kept + bytes.toString('latin1');
    let out = '';
    for (;;) {
      const begin = text.search(BEGIN);
      const end = begin < 0 ? -1 : tagEnd(text, begin);
      if (begin < 0 || (end < 0 && text.length - begin > MOST_TAG)) {
        out += text;
        text = '';
        break;
      }
      out += text.slice(0, begin);
      text = text.slice(begin);
      if (end < 0) break;
      out += this.#tag(text.slice(0, end - begin));
      text = text.slice(end - begin);
    }
    this.#kept = text;
    done(null, Buffer.from(out, 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#kept, 'latin1'));
  }

  #tag(tag: string): string {
    const names = ATTRIBUTES.get(NAME.exec(tag)?.[1]?.toLowerCase() ?? '')?.split('|');
    if (!names) return tag;
    return tag.replace(ATTRIBUTE, (all: string, before: string, name: string, sign: string, value: string) => {
      if (!names.includes(name.toLowerCase())) return all;
      const quote = /^["']/.exec(value)?.[0] ?? '';
      const link = quote ? value.slice(1, -1) : value;
      return `${before}${name}${sign}${quote}${this.links.led(link)}${quote}`;
    });
  }
}

/** Position behind a tag that begins at `from`, quoted values taken whole; -1 if its end is still to come. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] as string;
    if (quote) {
      if (char === quote) quote = '';
    } else if (char === '>') return at + 1;
    else if ((char === '"' || char === "'") && text[at - 1]?.match(/[\s=]/)) quote = char;
  }
  return -1;
}

/** Answers with a page of another server, whose links are led back below a proxy; also one that is compressed (gzip). */
export function rewriteLinks(ctx: RequestContext, message: IncomingMessage, links: Links): void {
  const { headers } = message;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    passOn(ctx, message);
    return;
  }
  delete headers['content-length'];
  delete headers.etag;
  const page = new PageLinks(links);
  const stages = encoding === 'gzip' ? [createGunzip(), page, createGzip()] : [page];
  passOnAs(ctx, message, stages.at(-1) as Transform);
  pipeline([message, ...stages], (error) => {
    if (error) cutOff(ctx);
  });
}
