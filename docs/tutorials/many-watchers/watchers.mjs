// Opens as many watches of ConfigMaps as the first argument says, creates ten ConfigMaps, and prints how long each event took to reach every
// watch. SERVER, CA and TOKEN say where the server is and as whom to ask.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

const [watches, writes] = [Number(process.argv[2] ?? 100), 10];
const { SERVER, CA, TOKEN } = process.env;
const path = '/api/v1/namespaces/default/configmaps';
const options = { ca: readFileSync(CA), headers: { authorization: `Bearer ${TOKEN}` } };
const watching = new Agent({ maxSockets: Infinity });

/** Sends a request; resolves with the response once its head has come. */
function send(target, more, body) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(target, SERVER), { ...options, ...more }, resolve);
    sent.once('error', reject).end(body);
  });
}

/** Opens a watch from a version on; calls back for each event. */
async function openWatch(version, onEvent) {
  const response = await send(`${path}?watch=true&resourceVersion=${version}`, { agent: watching });
  if (response.statusCode !== 200) throw new Error(`a watch was answered with ${response.statusCode}`);
  let rest = '';
  response.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) onEvent(JSON.parse(line).object.metadata.name);
  });
}

const read = async (response) => JSON.parse((await response.setEncoding('utf8').toArray()).join(''));
const { metadata } = await read(await send(`${path}?limit=1`, {}));
const begun = new Map();
const delays = [];
const all = Promise.withResolvers();
const onEvent = (name) => {
  if (!begun.has(name)) return;
  delays.push(performance.now() - begun.get(name));
  if (delays.length === watches * writes) all.resolve();
};
for (let opened = 0; opened < watches; opened++) await openWatch(metadata.resourceVersion, onEvent);
console.log(`${watches} watches are open`);

for (let index = 0; index < writes; index++) {
  const name = `tick-${Date.now()}-${index}`;
  begun.set(name, performance.now());
  const body = JSON.stringify({ metadata: { name } });
  const headers = { ...options.headers, 'content-type': 'application/json' };
  const response = await send(path, { method: 'POST', headers }, body);
  if (response.statusCode !== 201) throw new Error(`a write was answered with ${response.statusCode}`);
  response.resume();
}
await all.promise;
delays.sort((a, b) => a - b);
const at = (share) => delays[Math.floor((delays.length - 1) * share)].toFixed(0);
console.log(`${delays.length} events, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
process.exit(0);
