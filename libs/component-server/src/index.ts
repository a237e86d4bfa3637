export { accessReviews } from './access-reviews.js';
export { type PageAnswer, send } from './answers.js';
export { type ComponentHandler, ComponentServer, type ComponentUpgrade } from './component-server.js';
export { componentServer } from './open-server.js';
export { componentServerOptions } from './options.js';
export { componentPages } from './pages.js';
export { TokenReviews } from './token-reviews.js';
