import { ManualClock } from '@orch/runtime/testing';
import type { AnnouncementKeys } from '@orch/storage';
import { expect, it } from 'vitest';
import { Keyring } from './keyring.js';

const MESSAGE = Buffer.from('message');
const key = (id: number) => ({ id, secret: Buffer.alloc(32, id) });

function setUp() {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const database = { keys: { signing: key(1), accepted: [key(1)] } as AnnouncementKeys | Error, reads: 0 };
  const load = async () => {
    database.reads++;
    if (database.keys instanceof Error) throw database.keys;
    return database.keys;
  };
  const open = () => new Keyring({ installation: 'i', load, clock, onError: (error) => errors.push(error) });
  return { clock, errors, database, open };
}

const signed = (keyring: Keyring): Uint8Array => keyring.sign(MESSAGE) ?? new Uint8Array();

it('signs nothing before it has the keys, and asks again soon when the database is away', async () => {
  const { clock, database, errors, open } = setUp();
  database.keys = new Error('away');
  const keyring = open();
  await clock.settle();
  expect(keyring.sign(MESSAGE)).toBeUndefined();
  expect(errors).toHaveLength(1);
  database.keys = { signing: key(1), accepted: [key(1)] };
  await clock.advance(5_000);
  expect(Buffer.from(keyring.verify(signed(keyring)) as Uint8Array)).toEqual(MESSAGE);
});

it('follows the keys of the database, and keeps what it has while that is away', async () => {
  const { clock, database, open } = setUp();
  const [one, two] = [open(), open()];
  await clock.settle();
  const old = signed(one);
  database.keys = { signing: key(2), accepted: [key(1), key(2)] };
  await clock.advance(60_000);
  expect(signed(one)).not.toEqual(old);
  expect(two.verify(signed(one))).toBeInstanceOf(Uint8Array);
  expect(two.verify(old)).toBeInstanceOf(Uint8Array);
  database.keys = new Error('away');
  await clock.advance(60_000);
  expect(two.verify(old)).toBeInstanceOf(Uint8Array);
  database.keys = { signing: key(2), accepted: [key(2)] };
  await clock.advance(60_000);
  expect(two.verify(old)).toBe('unknown-key');
});

it('looks for a key that it does not know, but not for each message', async () => {
  const { clock, database, open } = setUp();
  const [old, fresh] = [open(), open()];
  await clock.settle();
  database.keys = { signing: key(2), accepted: [key(2)] };
  await fresh.refresh();
  const message = signed(fresh);
  const { reads } = database;
  for (let i = 0; i < 100; i++) expect(old.verify(message)).toBe('unknown-key');
  expect(database.reads).toBe(reads);
  await clock.advance(5_000);
  for (let i = 0; i < 100; i++) old.verify(message);
  await clock.settle();
  expect(database.reads).toBe(reads + 1);
  expect(old.verify(message)).toBeInstanceOf(Uint8Array);
});

it('sets no timer once it is closed', async () => {
  const { clock, open } = setUp();
  const keyring = open();
  await clock.settle();
  keyring.close();
  await keyring.refresh();
  expect(clock.pending).toBe(0);
});
