// Host names from documents: which addresses may be connected to, and which not.
import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost } from '../../src/endpoint/address.ts';
import { createPublicLookup } from '../../src/network/public-lookup.ts';

describe('an address', () => {
  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

  test.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '192.0.2.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    'example.com',
    '',
  ])('%s is public', (address) => expect(isPrivateAddress(address)).toBe(false));

  test.each(['localhost', 'LOCALHOST', 'api.localhost', 'localhost.', '[::1]', '127.1', '0x7f000001', '2130706433'])(
    'http://%s/ is this machine',
    (host) => expect(isPrivateHost(new URL(`http://${host}/`).hostname)).toBe(true),
  );
});

describe('a lookup of public addresses', () => {
  const ask = (addresses: readonly string[], all: boolean) =>
    new Promise<unknown>((resolve) => {
      const known: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const lookup = createPublicLookup((_name, options, done) => {
        expect(options.all).toBe(true);
        done(null, known);
      });
      lookup('api.example.com', { all }, (error, address, family) =>
        resolve(error ? error.code : family === undefined ? address : [address, family]),
      );
    });

  test('answers public addresses, in the form that was requested', async () => {
    expect(await ask(['93.184.216.34', '2606:2800::1'], true)).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800::1', family: 6 },
    ]);
    expect(await ask(['93.184.216.34'], false)).toEqual(['93.184.216.34', 4]);
  });

  test.each([
    ['only private ones', ['10.0.0.1']],
    ['a private one among others', ['93.184.216.34', '169.254.169.254']],
    ['one inside IPv6', ['::ffff:127.0.0.1']],
  ])('refuses %s', async (_name, addresses) => {
    expect(await ask(addresses, true)).toBe('LANDBRIDGE_PRIVATE_ADDRESS');
    expect(await ask(addresses, false)).toBe('LANDBRIDGE_PRIVATE_ADDRESS');
  });

  test('a name without addresses is not found', async () => expect(await ask([], true)).toBe('ENOTFOUND'));
});
