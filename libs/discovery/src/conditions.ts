import type { Request } from 'express';

type Conditional = Pick<Request, 'method' | 'headers'>;

const reads = ({ method }: Conditional): boolean => method === 'GET' || method === 'HEAD';

/** Returns the tags in a header, weak ones without their mark; callers handle `*`, which matches any tag. */
const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

/** Whether the client has the document of a tag already (RFC 9110 section 13.1.2). */
export function hasAlready(req: Conditional, tag: string): boolean {
  const header = req.headers['if-none-match'];
  return header !== undefined && reads(req) && tagsOf(header).includes(tag);
}

/** Whether the client has some document already, whichever. */
export const hasAny = (req: Conditional): boolean => reads(req) && req.headers['if-none-match']?.trim() === '*';

/** Whether the client wants another document than that of a tag, or nothing (RFC 9110 section 13.1.1). */
export function wantsOther({ headers }: Conditional, tag: string): boolean {
  const header = headers['if-match'];
  return header !== undefined && header.trim() !== '*' && !tagsOf(header).includes(tag);
}

/** Bytes of a document, the last one included. */
export interface ByteRange {
  /** Offset of the first byte. */
  readonly from: number;
  /** Offset of the last byte. */
  readonly to: number;
}

const ONE_RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/;

/**
 * Parses a requested range (RFC 9110 section 14.2): undefined for the whole document, which is sent for several ranges
 * and for units other than bytes, too.
 * @returns `none` for a range outside of the document
 */
export function rangeOf(req: Conditional, tag: string, length: number): ByteRange | 'none' | undefined {
  const { range = '', 'if-range': onlyOf } = req.headers;
  if (req.method !== 'GET' || !range.startsWith('bytes=') || range.includes(',')) return undefined;
  if (onlyOf !== undefined && onlyOf !== tag) return undefined;
  const [, first = '', last = ''] = ONE_RANGE.exec(range) ?? [];
  const wanted = first === '' ? suffixOf(last, length) : { from: Number(first), to: lastOf(last, length) };
  return wanted && wanted.from <= wanted.to ? wanted : 'none';
}

const lastOf = (text: string, length: number): number =>
  text === '' ? length - 1 : Math.min(Number(text), length - 1);

const suffixOf = (text: string, length: number): ByteRange | undefined =>
  text === '' ? undefined : { from: Math.max(0, length - Number(text)), to: length - 1 };
