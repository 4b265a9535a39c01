// Certificates for tests, made with openssl in a folder that goes with the process of the test.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateFactory {
  readonly folder: string;
  /** An authority that signs for itself. */
  authority(name: string): Pair;
  /** Signed by an authority. `subject` as openssl takes it: `/CN=batch`. */
  issue(authority: string, subject: string, options?: IssueOptions): Pair;
  remove(): void;
}

export interface IssueOptions {
  /** As openssl takes it: `DNS:a.example,URI:spiffe://a`. */
  readonly san?: string;
  readonly days?: number;
  readonly usage?: 'clientAuth' | 'serverAuth';
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export function createCertificates(): CertificateFactory {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string): Pair => ({
    cert: readFileSync(join(folder, `${name}.crt`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  });
  let count = 0;
  return {
    folder,
    authority(name) {
      const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
      openssl('req', '-x509', ...EC, ...files, '-days', '2', '-subj', `/CN=${name}`);
      return read(name);
    },
    issue(authority, subject, { san, days = 2, usage = 'clientAuth' } = {}) {
      const name = `issued-${++count}`;
      openssl('req', '-new', ...EC, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
      const extensions = [`extendedKeyUsage=${usage}`, ...(san === undefined ? [] : [`subjectAltName=${san}`])];
      writeFileSync(join(folder, `${name}.ext`), extensions.join('\n'));
      const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
      const files = ['-in', `${name}.csr`, '-out', `${name}.crt`, '-extfile', `${name}.ext`];
      openssl('x509', '-req', ...files, ...signer, '-days', String(days));
      return read(name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
