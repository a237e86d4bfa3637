export { ComponentServer, type ComponentServerSettings, type Page, type PageAnswer } from './component-server.js';
export { componentServer, type OpenSettings } from './open-server.js';
export { type ComponentServerOptions, componentServerOptions } from './options.js';
export { componentPages } from './pages.js';
