// Reads the certificates and keys of a domain file and checks them at start; otherwise every call would fail.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readSecretFile } from '../../../endpoint/sources/secret-file.ts';

export type Say = (message: string) => undefined;

const MAX_CERTIFICATES = 200;
const SOON_MS = 30 * 24 * 3600 * 1000;
const BEGINNING = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates of a PEM file, none of them expired. */
export function readCertificates(path: string, say: Say): readonly X509Certificate[] | undefined {
  const file = readSecretFile(path);
  if ('problem' in file) return say(`${path} ${file.problem}`);
  const blocks = splitPem(file.text);
  if (blocks.length === 0) return say(`${path} holds no certificate in PEM form (${BEGINNING})`);
  if (blocks.length > MAX_CERTIFICATES) return say(`${path} holds more than ${MAX_CERTIFICATES} certificates`);
  const certificates: X509Certificate[] = [];
  for (const block of blocks) {
    const certificate = parseCertificate(block);
    if (certificate === undefined) return say(`${path} holds a certificate that cannot be read`);
    const problem = dateProblem(certificate);
    if (problem !== undefined) return say(`${path}: the certificate of ${nameOf(certificate)} ${problem}`);
    certificates.push(certificate);
  }
  return certificates;
}

/** The private key, as it stands in its file: it must belong to the certificate. */
export function readKey(
  path: string,
  passphrase: string | undefined,
  certificate: X509Certificate,
  say: Say,
): string | undefined {
  const file = readSecretFile(path);
  if ('problem' in file) return say(`${path} ${file.problem}`);
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: file.text, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isLocked = /ENCRYPTED/.test(file.text);
    if (isLocked && (passphrase === undefined || code === 'ERR_MISSING_PASSPHRASE'))
      return say(`${path} is encrypted with a passphrase; name its variable in passphraseEnv, and set it`);
    return say(
      isLocked ? `${path} cannot be decrypted with this passphrase` : `${path} holds no private key in PEM form`,
    );
  }
  if (!certificate.checkPrivateKey(key)) return say(`${path} is not the key of the certificate in tls.cert`);
  return file.text;
}

/** A warning for a certificate that expires within a month. */
export function endsSoon(certificate: X509Certificate): string | undefined {
  const end = Date.parse(certificate.validTo);
  if (end - Date.now() > SOON_MS) return undefined;
  return `the certificate of ${nameOf(certificate)} expires on ${new Date(end).toISOString().slice(0, 10)}`;
}

function dateProblem({ validFrom, validTo }: X509Certificate): string | undefined {
  const now = Date.now();
  if (now > Date.parse(validTo)) return `expired on ${new Date(validTo).toISOString().slice(0, 10)}`;
  if (now < Date.parse(validFrom)) return `is not valid before ${new Date(validFrom).toISOString().slice(0, 10)}`;
  return undefined;
}

function nameOf({ subject }: X509Certificate): string {
  return (/CN=([^\n]+)/.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')).slice(0, 100);
}

function parseCertificate(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

function splitPem(text: string): string[] {
  const blocks: string[] = [];
  for (let at = text.indexOf(BEGINNING); at >= 0; at = text.indexOf(BEGINNING, at + 1)) {
    const end = text.indexOf(END, at);
    if (end < 0) break;
    blocks.push(text.slice(at, end + END.length));
  }
  return blocks;
}
