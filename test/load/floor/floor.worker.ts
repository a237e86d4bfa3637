import { setFlagsFromString } from 'node:v8';
import { serve } from '../worker.js';
import { FloorServer, type FloorSettings, type FloorShape } from './server.js';

// As the server itself sets it.
setFlagsFromString('--invocation-count-for-turbofan=1000');

let server: FloorServer | undefined;

async function start(settings: FloorSettings): Promise<void> {
  server = await FloorServer.start(settings);
}

function shape(sizes: FloorShape): void {
  server?.shape(sizes);
}

async function stop(_: undefined): Promise<void> {
  await server?.stop();
}

const methods = { start, shape, stop };
export type FloorMethods = typeof methods;
serve(methods);
