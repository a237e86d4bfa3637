import type { RequestListener } from 'node:http';
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Express } from 'express';
import request from 'express/lib/request.js';
import response from 'express/lib/response.js';
import { http2StreamOf } from './context.js';
import { createApplication } from './express-application.js';

/** Rebases the prototype that express gives requests and responses, from HTTP/1.1 onto HTTP/2. */
const upon = (base: object, express: object): object => Object.create(base, Object.getOwnPropertyDescriptors(express));

/**
 * Disables express's check whether the client's copy is fresh: it takes `*` for the tag of any answer, and tags are
 * handled elsewhere.
 */
const NEVER_FRESH: PropertyDescriptor = { value: false, configurable: true };

/** Serves the routes of an application over HTTP/1.1 and HTTP/2, which express by itself does not support. */
export function overBothVersions(app: Express): RequestListener {
  const http2 = createApplication();
  for (const setting of ['x-powered-by', 'etag']) http2.set(setting, app.get(setting));
  const own = { app: { value: http2, configurable: true, enumerable: true, writable: true } };
  const http2App = Object.assign(http2, {
    request: Object.create(upon(Http2ServerRequest.prototype, request), own),
    response: Object.create(upon(Http2ServerResponse.prototype, response), own),
  });
  for (const each of [app, http2App]) Object.defineProperty(each.request, 'fresh', NEVER_FRESH);
  http2App.use(app.router);
  // The version that a request claims does not count, as it need not be that of its connection.
  return (req, res) => (http2StreamOf({ res }) ? http2App(req, res) : app(req, res));
}
