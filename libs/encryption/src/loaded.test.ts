import { UNDIVIDED } from '@orch/storage';
import { expect, it } from 'vitest';
import type { ProviderConfiguration } from './configuration/configuration.js';
import { LoadedEncryption } from './loaded.js';

const load = (provider: ProviderConfiguration) =>
  LoadedEncryption.of(
    { resources: [{ resources: ['secrets'], providers: [provider] }] },
    { bodies: UNDIVIDED, observer: {}, onError: (error) => expect(error).toBeUndefined(), names: { events: 'events' } },
  );

it('stores as it is only what the configuration says so of', async () => {
  const { rules } = await load({ identity: {} });
  expect(rules.of({ group: '', resource: 'secrets' })).toEqual(['identity']);
  // As of a provider that is read and validated, and that nobody makes.
  const unmade = JSON.parse('{"rot13":{}}') as ProviderConfiguration;
  await expect(load(unmade)).rejects.toThrow('there is no provider of type rot13');
});
