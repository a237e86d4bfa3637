import { describe, expect, it } from 'vitest';
import { type AuthorizationOptions, authorizationModes, checkAuthorization } from './authorization-options.js';

describe('the modes of authorization', () => {
  it.each([
    [[], 'at least one authorization-mode must be passed'],
    [['RBAC', 'Magic'], 'authorization-mode "Magic" is not a valid mode'],
    [['RBAC', 'Node', 'RBAC'], 'authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once'],
  ])('%j are refused', (named, message) => {
    expect(() => authorizationModes(named)).toThrow(message);
  });

  it('stay in their order', () => {
    expect(authorizationModes(['RBAC', 'Node'])).toEqual(['RBAC', 'Node']);
  });

  it.each([
    [['Webhook'], undefined, "authorization-mode Webhook's authorization config file not passed"],
    [['RBAC'], 'file', 'cannot specify --authorization-webhook-config-file without mode Webhook'],
    [['RBAC'], undefined, undefined],
    [['RBAC', 'Webhook'], 'file', undefined],
  ])('%j go with a webhook at %s, or not', (authorizationMode, authorizationWebhookConfigFile, problem) => {
    const check = () =>
      checkAuthorization({ authorizationMode, authorizationWebhookConfigFile } as unknown as AuthorizationOptions);
    if (problem === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(problem);
  });
});
