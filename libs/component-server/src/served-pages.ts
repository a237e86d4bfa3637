import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError } from '@orch/machinery';
import { type PageAnswer, send } from './answers.js';
import type { ComponentHandler } from './component-server.js';

/** Answers requests of a path; undefined for a path below it that there is not. */
export type ComponentPage = (path: string, query: URLSearchParams) => Promise<PageAnswer | undefined>;

/** Serves pages by path; those below a path are answered by it, too. */
export const servedPages = (pages: Readonly<Record<string, ComponentPage>>): ComponentHandler => ({
  async request(request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL) {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new StatusError('MethodNotAllowed', 'only GET');
    const answer = await pageAt(pages, pathname, searchParams);
    send(response, answer ?? { status: 404, body: '404 page not found\n' });
  },
});

function pageAt(
  pages: Readonly<Record<string, ComponentPage>>,
  path: string,
  query: URLSearchParams,
): Promise<PageAnswer | undefined> {
  const root = Object.hasOwn(pages, path) ? path : Object.keys(pages).find((each) => path.startsWith(`${each}/`));
  return (root === undefined ? undefined : pages[root]?.(path, query)) ?? Promise.resolve(undefined);
}
