// Certificates made by openssl for one test file: an authority, servers and clients it signs, and strangers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
  /** Paths of the two. */
  readonly files: { readonly cert: string; readonly key: string };
}

export interface Signer extends Pair {
  /** A certificate for these names (`DNS:localhost`, `IP:127.0.0.1`), good for `days` from now on. */
  issue(commonName: string, names: readonly string[], days?: number): Pair;
}

export interface CertificateMaker {
  readonly folder: string;
  createAuthority(commonName: string): Signer;
  /** The key of a pair, locked with a passphrase: the path of its file. */
  lock(pair: Pair, passphrase: string): string;
  remove(): void;
}

export function createCertificates(): CertificateMaker {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-certificates-'));
  let count = 0;
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const pairOf = (name: string): Pair => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8'), files };
  };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  return {
    folder,
    createAuthority(commonName) {
      const ca = `ca${count++}`;
      const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=keyCertSign,cRLSign'];
      openssl(
        ...['req', '-x509', ...curve, '-days', '3650', '-subj', `/CN=${commonName}`],
        ...[...extensions, '-keyout', `${ca}.key`, '-out', `${ca}.pem`],
      );
      return {
        ...pairOf(ca),
        issue(subject, names, days = 365) {
          const leaf = `leaf${count++}`;
          openssl('req', ...curve, '-subj', `/CN=${subject}`, '-keyout', `${leaf}.key`, '-out', `${leaf}.csr`);
          writeFileSync(
            join(folder, `${leaf}.ext`),
            names.length === 0 ? 'basicConstraints=CA:FALSE\n' : `subjectAltName=${names.join(',')}\n`,
          );
          openssl(
            ...['x509', '-req', '-in', `${leaf}.csr`, '-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial'],
            ...['-days', String(days), '-extfile', `${leaf}.ext`, '-out', `${leaf}.pem`],
          );
          return pairOf(leaf);
        },
      };
    },
    lock({ files }, passphrase) {
      const file = `locked${count++}.key`;
      openssl('pkcs8', '-topk8', '-in', files.key, '-out', file, '-passout', `pass:${passphrase}`);
      return join(folder, file);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
