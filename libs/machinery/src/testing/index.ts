export { deployment, pod, status } from './objects.js';
