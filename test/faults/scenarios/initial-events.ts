import { connect } from 'node:net';
import { Client } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { freePort } from '../../../tools/up/index.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import type { Stage } from '../stage/stage.js';
import { scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const INITIAL = `${PATH}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
const REF = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const MARK = 'initial-events-end';

/** Plain HTTP, so that the bytes on the way are those of the events. */
let port = 0;

export const initialEventsCut = staged(
  {
    name: 'initial-events-cut',
    fault: 'the stream of initial events is cut at every boundary of an event, and in the middle of every event',
    pass: 'the client has the closing bookmark or an error, never a part that it takes for the whole',
  },
  async () => {
    port = await freePort();
    return { apiServers: 1, gateways: 0, serverArgs: [`--insecure-port=${port}`] };
  },
  async (stage, settings) => {
    const objects = scaled(settings, 200, 8);
    for (let i = 0; i < objects; i++) {
      const answer = await stage.api().post(PATH, { metadata: { name: `object-${i}` }, data: { i: `${i}` } });
      if (answer.status !== 201) throw new Error(answer.text);
    }
    const ends = await boundaries(stage);
    const proxy = await FaultProxy.open(port);
    try {
      let from = 0;
      for (const end of ends) {
        for (const cut of [Math.floor((from + end) / 2), end]) await cutAt(stage, proxy, cut, cut === ends.at(-1));
        from = end;
      }
      stage.measure('cuts', ends.length * 2);
    } finally {
      await proxy.close();
    }
  },
);

/** After how many bytes of the answer each event ends; the last is the mark. */
function boundaries({ cluster }: Stage): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      text += data;
      const mark = text.indexOf(MARK);
      if (mark < 0 || text.indexOf('\n', mark) < 0) return;
      socket.destroy();
      resolve([...text.matchAll(/\}\n/g)].map(({ index }) => index + 2));
    });
    socket.once('error', reject);
    socket.write(`GET ${INITIAL} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${cluster.token}\r\n\r\n`);
  });
}

/** Lets so many bytes of the answer through, and judges what the client makes of them. */
async function cutAt(stage: Stage, proxy: FaultProxy, bytes: number, whole: boolean): Promise<void> {
  proxy.set('toClient', { cutAfter: bytes });
  const { events, closed, error } = await read(stage, proxy);
  const what = `${events} events, then ${closed ? 'the mark' : (error ?? 'an end')}, after a cut at byte ${bytes}`;
  if (closed) stage.must('V2.initial', whole, `a part was taken for the whole: ${what}`);
  else stage.must('V2.initial', error !== undefined, `an end in order in the middle of the state: ${what}`);
}

interface Outcome {
  readonly events: number;
  readonly closed: boolean;
  readonly error: unknown;
}

/** Reads the stream as clients of ours do, until it ends, fails, or is closed by the mark. */
async function read({ cluster }: Stage, proxy: FaultProxy): Promise<Outcome> {
  const connection = { server: `http://127.0.0.1:${proxy.port}`, token: cluster.token };
  const client = new Client(connection, { names: namesOf('kubernetes'), qps: -1, maxRetries: 0, timeoutMs: 5_000 });
  let events = 0;
  try {
    for await (const event of client.watch(REF, { initialEvents: true })) {
      if (event.type === 'BOOKMARK') return { events, closed: true, error: undefined };
      events++;
    }
    return { events, closed: false, error: undefined };
  } catch (error) {
    return { events, closed: false, error };
  } finally {
    await client.close();
  }
}
