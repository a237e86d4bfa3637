export { FakeKms } from './fake-kms.js';
