export { deployment, pod, status } from './objects.js';
export { haveVectors, sharedVectors } from './shared-vectors.js';
