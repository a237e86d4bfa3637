// Stands for the server of Headlamp, which is not published: it serves the pages, and what they ask of the cluster `main` it passes on with
// the user's token, WebSockets included.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';

const CLUSTER = '/clusters/main';
const PAGE =
  '<!doctype html><link rel="stylesheet" href="/app.css"><div id="root"></div><script type="module" src="/app.js"></script>';
const FILES = { '/app.js': 'text/javascript', '/app.css': 'text/css' };

/**
 * Starts it on a port of loopback.
 * @param folder of the pages
 * @param access address of the API, the PEM of its authority, and a token
 * @returns its address
 */
export async function startBackend(folder, { url, ca, token }) {
  const passedOn = ({ method, url: path, headers }) => {
    const { host, ...others } = headers;
    const options = { method, ca, headers: { ...others, authorization: `Bearer ${token}` } };
    return request(`${url}${path.slice(CLUSTER.length)}`, options);
  };
  const server = createServer((req, res) => {
    if (FILES[req.url]) {
      res.setHeader('content-type', FILES[req.url]).end(readFileSync(`${folder}${req.url}`));
    } else if (/^\/clusters\/main\/(apis?|openapi|version)\b/.test(req.url)) {
      const asked = passedOn(req).on('error', () => res.destroy());
      asked.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode, answer.headers)));
      req.pipe(asked);
    } else {
      res.setHeader('content-type', 'text/html').end(PAGE);
    }
  });
  server.on('upgrade', (req, client) => {
    const asked = passedOn(req).on('error', () => client.destroy());
    asked.on('response', () => client.destroy());
    asked.on('upgrade', ({ rawHeaders }, other) => {
      const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      client.pipe(other).pipe(client);
      client.on('error', () => other.destroy());
      other.on('error', () => client.destroy());
    });
    asked.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}
