import { EventEmitter } from 'node:events';
import type { Express, Request, Response } from 'express';
// The entry of express also loads its parsers of bodies, with tables of all encodings: 600 KB that nothing here uses.
import application from 'express/lib/application.js';
import request from 'express/lib/request.js';
import response from 'express/lib/response.js';

/** Creates an express application. */
export function createApplication(): Express {
  const app = ((req: Request, res: Response, next: () => void) => {
    (app as unknown as { handle(...handled: unknown[]): void }).handle(req, res, next);
  }) as unknown as Express;
  for (const part of [EventEmitter.prototype, application])
    Object.defineProperties(app, Object.getOwnPropertyDescriptors(part));
  const own = { app: { value: app, configurable: true, enumerable: true, writable: true } };
  Object.assign(app, { request: Object.create(request, own), response: Object.create(response, own) });
  (app as unknown as { init(): void }).init();
  return app;
}
