export type { FakeImage } from './fake-images.js';
export type { FakeExec, FakeProgram } from './fake-program.js';
export { FakeRuntime } from './fake-runtime.js';
