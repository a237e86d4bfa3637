export type { ComponentServer } from './component-server.js';
export { componentServer } from './open-server.js';
export { componentServerOptions } from './options.js';
export { componentPages } from './pages.js';
