import type { OptionValues } from '@orch/runtime';

/** What may decide who may do what. */
export const AUTHORIZATION_MODES = ['AlwaysAllow', 'AlwaysDeny', 'RBAC'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const isMode = (text: string): text is AuthorizationMode => (AUTHORIZATION_MODES as readonly string[]).includes(text);

/** @throws Error for none, an unknown one, and one that is named twice */
export function authorizationModes(named: readonly string[]): readonly AuthorizationMode[] {
  if (named.length === 0) throw new Error('at least one authorization-mode must be passed');
  const modes = named.map((mode) => {
    if (!isMode(mode)) throw new Error(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
    return mode;
  });
  if (new Set(modes).size < modes.length) {
    const list = modes.map((mode) => JSON.stringify(mode)).join(' ');
    throw new Error(`authorization-mode [${list}] has mode specified more than once`);
  }
  return modes;
}

/** Options of who may do what. */
export const authorizationOptions = {
  'authorization-mode': {
    type: 'list',
    default: ['RBAC'],
    check: authorizationModes,
    help: 'Who decides what a caller may do, in this order: RBAC (roles and bindings), AlwaysAllow, AlwaysDeny. With AlwaysAllow nobody is let in without credentials, whatever --anonymous-auth says.',
  },
} as const;

/** Values of {@link authorizationOptions}. */
export type AuthorizationOptions = OptionValues<typeof authorizationOptions>;
