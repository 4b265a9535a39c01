// Keys that sign assertions: they are read at the start, weak or unreadable keys stop it with a message, and only public keys are shown.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAssertionKeys } from '../../src/identity/assertion-keys.ts';

const ISSUER = 'https://mcp.test';
const ASSERTION = { subject: 'key:ci', audience: 'https://api.test', lifetimeS: 60, claims: { tool: 'x' } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const PKCS8 = { type: 'pkcs8', format: 'pem' } as const;
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey.export(PKCS8) as string;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey.export(PKCS8) as string;
const ed25519 = () => generateKeyPairSync('ed25519').privateKey.export(PKCS8) as string;

const load = (...files: string[]) => loadAssertionKeys({ issuer: ISSUER, keys: files });

describe('a key', () => {
  test.each<[string, () => string]>([
    ['RS256', () => rsa(2048)],
    ['ES256', () => ec('P-256')],
    ['ES384', () => ec('P-384')],
    ['EdDSA', ed25519],
    ['ES256', () => execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout']).toString()],
    ['RS256', () => execFileSync('openssl', ['genrsa', '-traditional', '2048'], { stdio: 'pipe' }).toString()],
  ])('signs with %s, and the published keys verify the signature', async (alg, make) => {
    const signer = await load(write('key.pem', make()));
    const jwks = JSON.parse(signer.jwks) as JSONWebKeySet;
    const jwt = await signer.sign(ASSERTION);
    const { payload, protectedHeader } = await jwtVerify(jwt, createLocalJWKSet(jwks), { issuer: ISSUER });
    expect(protectedHeader).toEqual({ alg, typ: 'JWT', kid: await calculateJwkThumbprint(jwks.keys[0]!) });
    expect(payload).toMatchObject({ sub: 'key:ci', aud: 'https://api.test', tool: 'x' });
    expect(payload.exp! - payload.iat!).toBe(60);
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(jwks.keys[0]).not.toHaveProperty(secret);
  });

  test('that is the first in the list signs; all keys are published, so that one can be replaced', async () => {
    const [before, after] = [write('before.pem', ed25519()), write('after.pem', ec('P-256'))];
    const early = await (await load(before)).sign(ASSERTION);
    const rotated = await load(after, before);
    const jwks = createLocalJWKSet(JSON.parse(rotated.jwks) as JSONWebKeySet);
    const late = await rotated.sign(ASSERTION);
    expect((await jwtVerify(early, jwks)).protectedHeader.alg).toBe('EdDSA');
    expect((await jwtVerify(late, jwks)).protectedHeader.alg).toBe('ES256');
    const withoutOld = createLocalJWKSet(JSON.parse((await load(after)).jwks) as JSONWebKeySet);
    await expect(jwtVerify(early, withoutOld)).rejects.toThrow();
  });

  test('signs a different jti every time', async () => {
    const signer = await load(write('key.pem', ed25519()));
    const jwts = await Promise.all(Array.from({ length: 50 }, () => signer.sign(ASSERTION)));
    const ids = jwts.map((jwt) => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()).jti as string);
    expect(new Set(ids).size).toBe(50);
  });

  test.each<[string, () => string, RegExp]>([
    ['is not there', () => join(folder, 'nowhere.pem'), /nowhere\.pem does not exist\. Make one with: openssl genpkey/],
    ['is a folder', () => folder, /cannot be read: EISDIR/],
    ['is weak', () => write('weak.pem', rsa(1024)), /RSA key of 1024 bits, which is too weak; use 2048 or more/],
    ['is of another curve', () => write('k1.pem', ec('secp256k1')), /the curve secp256k1, which is not supported/],
    [
      'is of another kind',
      () => write('x.pem', generateKeyPairSync('x25519').privateKey.export(PKCS8) as string),
      /key of x25519, which is not supported/,
    ],
    [
      'is public',
      () =>
        write('public.pem', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string),
      /is a public key or a certificate; name the private key/,
    ],
    [
      'has a passphrase',
      () =>
        write(
          'locked.pem',
          generateKeyPairSync('ed25519').privateKey.export({
            ...PKCS8,
            cipher: 'aes-256-cbc',
            passphrase: 'p',
          }) as string,
        ),
      /is protected by a passphrase/,
    ],
    ['is no key', () => write('no.pem', 'hello'), /holds no private key in PEM/],
  ])('that %s stops the start with a message', async (_, make, words) => {
    await expect(load(make())).rejects.toMatchObject({ code: 'BAD_CONFIG', message: expect.stringMatching(words) });
  });

  test('needs an issuer', async () => {
    await expect(loadAssertionKeys({ issuer: undefined, keys: [] })).rejects.toThrow(/assertions\.issuer is missing/);
  });
});
