import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type TransformCallback } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { cutOff, passOn, passOnAs, type RequestContext } from '@orch/serving';
import type { Links } from './links.js';
import { OpenTag } from './open-tag.js';

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

/**
 * Characters of a page behind which links are passed on as they are: a kilobyte can be unpacked to a megabyte, which is read in the
 * turns of all other requests.
 */
const MOST_PAGE = 4 << 20;

/** The beginning of a tag, or what may become one with the next bytes. */
const BEGIN = /<(?:[a-z]|$)/i;
/** The beginning of a tag: its name. */
const NAME = /^<([a-z][a-z0-9]*)(?=[\s/>])/i;
/** An attribute with its value in quotes, or without. */
const ATTRIBUTE = /([\s"'/])([a-z-]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi;

/** Leads the links of a page back below a proxy, tag by tag, as it comes; bytes are kept as they are. */
export class PageLinks extends Transform {
  /** The tag whose end is still to come. */
  #open: OpenTag | undefined;
  /** A `<` at the end of what has come, which may begin a tag. */
  #last = '';
  /** Characters that have come. */
  #length = 0;

  constructor(private readonly links: Links) {
    super();
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#length += bytes.length;
    if (this.#length > MOST_PAGE) {
      this.#giveUp();
      done(null, bytes);
    } else done(null, Buffer.from(this.#read(this.#last + bytes.toString('latin1')), 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    this.#giveUp();
    done();
  }

  /** Passes on what was kept for the end of a tag. */
  #giveUp(): void {
    const kept = this.#open?.text ?? this.#last;
    this.#open = undefined;
    this.#last = '';
    if (kept !== '') this.push(Buffer.from(kept, 'latin1'));
  }

  #read(text: string): string {
    this.#last = '';
    let out = '';
    let at = 0;
    while (at < text.length) {
      if (!this.#open) {
        const { before, rest } = untilTag(text.slice(at));
        out += before;
        at = text.length - rest.length;
        if (rest.length <= 1) {
          this.#last = rest;
          break;
        }
        this.#open = new OpenTag();
      }
      at = this.#open.take(text, at);
      if (!this.#open.isWhole && this.#open.length <= MOST_TAG) break;
      out += this.#open.isWhole ? this.#tag(this.#open.text) : this.#open.text;
      this.#open = undefined;
    }
    return out;
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

/** Splits a text at the beginning of its first tag, or of what may become one. */
function untilTag(text: string): { before: string; rest: string } {
  const begin = text.search(BEGIN);
  return begin < 0 ? { before: text, rest: '' } : { before: text.slice(0, begin), rest: text.slice(begin) };
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
