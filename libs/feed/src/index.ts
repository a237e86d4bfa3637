export * from './feed.js';
