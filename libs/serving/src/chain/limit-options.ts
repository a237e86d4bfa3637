import type { OptionValues } from '@orch/runtime';
import type { SlowClientLimits } from './slow-clients.js';

/** Bounds on what requests may take of a process, so that none of them can take it from the others. 0 is none. */
export const limitOptions = {
  'max-watches': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Maximum number of open watches. Further ones get 429. 0 means no limit.',
  },
  'max-watches-per-user': {
    type: 'int',
    default: 10_000,
    min: 0,
    help: 'Maximum number of open watches of one user. Further ones get 429. 0 means no limit.',
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
    help: 'Memory for request bodies, complete or not. At the limit requests get 429. While others hold bodies, a user may hold no more than what they leave; a user who holds none may always begin. 0 means no limit.',
  },
  'max-waiting-body-bytes-per-user': {
    type: 'bytes',
    default: 32 << 20,
    min: 0,
    help: 'Memory for request bodies of one user. 0 means no limit.',
  },
  'max-slow-bodies': {
    type: 'int',
    default: 5_000,
    min: 0,
    help: 'Maximum number of requests whose body is incomplete or whose sender is not authorized yet; they hold no seat. Further ones get 429, except for the first of a user. 0 means no limit.',
  },
  'max-slow-bodies-per-user': {
    type: 'int',
    default: 1_000,
    min: 0,
    help: 'Maximum number of such requests (--max-slow-bodies) of one user. 0 means no limit.',
  },
  'max-unread-answers': {
    type: 'int',
    default: 5_000,
    min: 0,
    help: 'Maximum number of requests that have given up their seat because the client does not read the response, or does not continue a body that is proxied. At the limit, further requests of users who have such requests get 429, and those that also wait for their client are closed within about a second. 0 means no limit.',
  },
  'max-unread-answers-per-user': {
    type: 'int',
    default: 500,
    min: 0,
    help: 'Maximum number of such requests (--max-unread-answers) of one user. 0 means no limit.',
  },
  'max-unread-answer-bytes': {
    type: 'bytes',
    default: 256 << 20,
    min: 0,
    help: 'Memory for responses that clients do not read (--max-unread-answers), with the same effect at the limit. 0 means no limit.',
  },
  'max-unread-answer-bytes-per-user': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for responses that one user does not read, with the same effect at the limit. 0 means no limit.',
  },
  'max-impersonation-values': {
    type: 'int',
    default: 256,
    min: 1,
    help: 'Maximum number of users, groups, uids and extra values to impersonate in the headers of one request. Each is authorized separately.',
  },
} as const;

/** How much may wait for clients. */
export const slowClientLimits = (serving: OptionValues<typeof limitOptions>): SlowClientLimits => ({
  bodies: { inAll: serving.maxSlowBodies, perUser: serving.maxSlowBodiesPerUser },
  answers: { inAll: serving.maxUnreadAnswers, perUser: serving.maxUnreadAnswersPerUser },
  answerBytes: { inAll: serving.maxUnreadAnswerBytes, perUser: serving.maxUnreadAnswerBytesPerUser },
});
