import type { OptionValues } from '@orch/runtime';
import type { SlowClientLimits } from './slow-clients.js';

/** Bounds on what requests may take of a process, so that none of them can take it from the others. 0 is none. */
export const limitOptions = {
  'max-watches': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Watches that are open at a time; more are answered with 429. 0 is no bound.',
  },
  'max-watches-per-user': {
    type: 'int',
    default: 10_000,
    min: 0,
    help: 'Watches of one user that are open at a time; more are answered with 429. 0 is no bound.',
  },
  'max-streams': {
    type: 'int',
    default: 10_000,
    min: 0,
    help: 'Streams other than watches that are open at a time: logs, exec, port-forward, proxied requests. More are answered with 429. 0 is no bound.',
  },
  'max-streams-per-user': {
    type: 'int',
    default: 2_000,
    min: 0,
    help: 'The same of the streams of one user.',
  },
  'max-waiting-body-bytes': {
    type: 'bytes',
    default: 128 << 20,
    min: 0,
    help: 'Bytes of request bodies that are in memory, whole or in part; beyond them requests are answered with 429. Beside others a user may hold no more than is left then, and who holds none may always begin. 0 is no bound.',
  },
  'max-waiting-body-bytes-per-user': {
    type: 'bytes',
    default: 32 << 20,
    min: 0,
    help: 'The same of the requests of one user.',
  },
  'max-slow-bodies': {
    type: 'int',
    default: 5_000,
    min: 0,
    help: 'Requests whose body has not come whole, or whose sender is not known yet to have the right to them; they hold no seat. More are answered with 429, but for the first of a user. 0 is no bound.',
  },
  'max-slow-bodies-per-user': {
    type: 'int',
    default: 1_000,
    min: 0,
    help: 'The same of the requests of one user.',
  },
  'max-unread-answers': {
    type: 'int',
    default: 5_000,
    min: 0,
    help: 'Requests that have given back their seat because their client does not read the answer, or does not go on with a body that is passed on. At the bound further requests of users who have such ones are answered with 429, and those that wait for their client too are closed within a second or so. 0 is no bound.',
  },
  'max-unread-answers-per-user': {
    type: 'int',
    default: 500,
    min: 0,
    help: 'The same of the requests of one user.',
  },
  'max-unread-answer-bytes': {
    type: 'bytes',
    default: 256 << 20,
    min: 0,
    help: 'Bytes of these answers that are in memory, with the same at the bound. 0 is no bound.',
  },
  'max-unread-answer-bytes-per-user': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'The same of the requests of one user.',
  },
  'max-impersonation-values': {
    type: 'int',
    default: 256,
    min: 1,
    help: 'Users, groups, uids and extra values that the headers of one request may ask to be impersonated; each is authorized for itself.',
  },
} as const;

/** How much may wait for clients. */
export const slowClientLimits = (serving: OptionValues<typeof limitOptions>): SlowClientLimits => ({
  bodies: { inAll: serving.maxSlowBodies, perUser: serving.maxSlowBodiesPerUser },
  answers: { inAll: serving.maxUnreadAnswers, perUser: serving.maxUnreadAnswersPerUser },
  answerBytes: { inAll: serving.maxUnreadAnswerBytes, perUser: serving.maxUnreadAnswerBytesPerUser },
});
