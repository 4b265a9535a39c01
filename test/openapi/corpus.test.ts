// Every document of a corpus against its independent ground truth.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import type { Domain, Endpoint } from '../../src/endpoint/model.ts';
import { ARGUMENT_KEY, DOMAIN_NAME, TOOL_NAME } from '../../src/endpoint/names.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { CORPORA, type CorpusDocument, OWN, readTruth, SHARED, type Truth } from '../support/corpus.ts';

/** The few that truly cannot work, with the reason each must give. */
const QUARANTINED: Readonly<Record<string, readonly RegExp[]>> = {
  'badref-3.0': [/POST \/meals .*"#\/components\/schemas\/Meals" points to nothing/],
  'badref-burgershop-3.0': [/POST \/burgers .*"#\/components\/schemas\/Burgers" points to nothing/],
};

const isBomb = ({ id }: CorpusDocument) => id.includes('alias-bomb');

describe.each(CORPORA)('$name', (corpus) => {
  const documents = corpus.documents.filter((document) => !isBomb(document));
  test.skipIf(!corpus.present).each(documents)(
    '$id: all operations are there, complete and with schemas that compile',
    async (entry) => {
      const { id, file, operations } = entry;
      const domain = await importDocument(corpus.folder + file, { env: {}, refsRoot: rootOf(corpus.folder, file) });
      const warningsAtStart = [...domain.warnings];
      const truth = readTruth(corpus, id);
      expect(domain.endpoints.length + domain.quarantined.length).toBe(operations);
      const found = [
        ...domain.endpoints.map(keyOf),
        ...domain.quarantined.map(({ method, path }) => `${method} ${path}`),
      ];
      expect(found.sort()).toEqual(truth.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());

      const reasons = domain.quarantined.map(({ method, path, reason }) => `${method} ${path} ${reason}`);
      const expected = QUARANTINED[id] ?? [];
      expect(reasons).toHaveLength(expected.length);
      for (const [index, reason] of reasons.entries()) expect(reason).toMatch(expected[index]!);

      checkShape(domain);
      expect(unreachedIn(domain, truth)).toEqual([]);
      expect(uncompiled(domain)).toEqual([]);
      for (const { response, pagination } of domain.endpoints) expect([response, pagination]).toHaveLength(2);
      // What is read on first use has nothing to report.
      expect(domain.warnings).toEqual(warningsAtStart);
    },
  );
});

describe.each([
  [OWN, 'alias-bomb-3.0.yaml'],
  [SHARED, 'synthetic-alias-bomb-3.0.yaml'],
])('in $name', ({ folder, present }, file) => {
  test.skipIf(!present)(`${file} ends in an error that says so`, async () => {
    await expect(importDocument(folder + file, { env: {} })).rejects.toMatchObject({
      code: 'BAD_DOCUMENT',
      message: expect.stringContaining('alias bomb'),
    });
  });
});

describe.each([
  [OWN, 'cafe-3.1.yaml', 'cafe-split-3.1/cafe.yaml'],
  [SHARED, 'redocly-cafe-3.2.yaml', 'redocly-cafe-split-3.2/cafe.yaml'],
])('in $name', ({ folder, present }, one, many) => {
  test.skipIf(!present)('a document split into files equals the same document in one', async () => {
    const whole = await importDocument(folder + one, { env: {} });
    const split = await importDocument(folder + many, { env: {} });
    const view = (domain: Domain) =>
      domain.endpoints.map(({ action, method, path, args, body, summary }) => ({
        action,
        method,
        path,
        args,
        body,
        summary,
      }));
    expect(view(split)).toEqual(view(whole));
  });
});

describe.each([
  [OWN, 'separate-2.0/spec/swagger.json', ['id', 'note', 'name', 'height']],
  [SHARED, 'petstore-separate-2.0/spec/swagger.json', ['id', 'name', 'tag', 'description']],
])('in $name', ({ folder, present }, file, keys) => {
  test.skipIf(!present)('refs into a sibling folder are read', async () => {
    const domain = await importDocument(folder + file, { env: {}, refsRoot: rootOf(folder, file) });
    expect(domain.quarantined).toEqual([]);
    const create = domain.endpoints.find(({ method }) => method === 'POST');
    expect(create?.args.map(({ key }) => key)).toEqual(keys);
  });
});

/** The folder of a document in parts, below that of the corpus. */
function rootOf(folder: string, file: string): string {
  return file.includes('/') ? folder + file.split('/')[0] : folder;
}

function keyOf(endpoint: Endpoint): string {
  const [, , path] = endpoint.source.pointer!.split('/');
  return `${endpoint.method.toUpperCase()} ${path!.replaceAll('~1', '/').replaceAll('~0', '~')}`;
}

function checkShape(domain: Domain): void {
  expect(domain.name).toMatch(DOMAIN_NAME);
  const names = new Set<string>();
  const wrong: string[] = [];
  const check = (endpoint: Endpoint, what: string, ok: boolean) => {
    if (!ok) wrong.push(`${endpoint.id}: ${what}`);
  };
  for (const endpoint of domain.endpoints) {
    names.add(endpoint.toolName);
    const keys = endpoint.args.map(({ key }) => key);
    const schema = endpoint.inputSchema as { properties: object; additionalProperties: unknown };
    check(endpoint, 'tool name', TOOL_NAME.test(endpoint.toolName));
    check(endpoint, 'summary', endpoint.summary !== '');
    check(endpoint, 'keys are unique', new Set(keys).size === keys.length);
    check(
      endpoint,
      'keys are portable',
      keys.every((key) => ARGUMENT_KEY.test(key)),
    );
    check(endpoint, 'schema and arguments agree', Object.keys(schema.properties).join() === keys.join());
    check(endpoint, 'closed', schema.additionalProperties === false);
    const inPath = endpoint.args.filter(({ to }) => to.some((target) => target.in === 'path'));
    check(
      endpoint,
      'path parameters are required',
      inPath.every(({ required }) => required),
    );
  }
  expect(wrong).toEqual([]);
  expect(names.size).toBe(domain.endpoints.length);
}

function unreachedIn(domain: Domain, truths: readonly Truth[]): string[] {
  const endpoints = new Map(domain.endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  return truths.flatMap((truth) => {
    const endpoint = endpoints.get(`${truth.method.toUpperCase()} ${truth.path}`);
    return endpoint ? unreached(truth, endpoint) : [];
  });
}

/** All of the small documents, a spread of the large ones: compiling is what costs. */
function uncompiled(domain: Domain): string[] {
  const stride = Math.ceil(domain.endpoints.length / 25);
  const failed: string[] = [];
  for (let next = 0; next < domain.endpoints.length; next += stride) {
    const endpoint = domain.endpoints[next]!;
    const ajv = new Ajv2020({ strict: false, validateSchema: false, unicodeRegExp: false, logger: false });
    (formats as unknown as (ajv: Ajv2020) => void)(ajv);
    try {
      ajv.compile(endpoint.inputSchema as object);
    } catch (error) {
      failed.push(`${endpoint.id}: ${(error as Error).message}`);
    }
  }
  return failed;
}

/** Parameters that go nowhere, except where the rules say so. */
function unreached(truth: Truth, endpoint: Endpoint): string[] {
  const targets = [...endpoint.args.flatMap(({ to }) => to), ...endpoint.fixed.map(({ to }) => to)];
  const reached = new Set(
    targets.map((target) => {
      if (target.in === 'body') return `body ${target.at[0]}`;
      return 'name' in target ? `${target.in} ${target.name}` : target.in;
    }),
  );
  // A key that the document declares as a parameter is a credential: it goes to the same place, from a variable.
  for (const credential of endpoint.security.flat() as KnownCredential[]) {
    if (credential.kind === 'apiKey' && credential.isParameter) reached.add(`${credential.in} ${credential.field}`);
  }
  const lost: string[] = [];
  for (const [location, names] of Object.entries(truth.params)) {
    for (const name of names) {
      if (
        location === 'body' ? hasBody(endpoint) : reached.has(`${location === 'formData' ? 'body' : location} ${name}`)
      )
        continue;
      if (location === 'header' && /^(?:accept|content-type|authorization|content-length|api_key)$/i.test(name))
        continue;
      // Slack: a `token` beside a scheme that writes Authorization is the same secret once more.
      if (name === 'token' && endpoint.security.flat().some(({ kind }) => kind === 'bearer')) continue;
      // A path parameter outside of the path: either it stands in a query string of the key, or nowhere.
      if (location === 'path' && (reached.has(`query ${name}`) || !endpoint.path.includes(`{${name}}`))) continue;
      lost.push(`${truth.method} ${truth.path}: ${location} ${name}`);
    }
  }
  const empty = endpoint.source.file.includes('stripe') && !hasBody(endpoint);
  if (truth.body && !endpoint.body && !empty) lost.push(`${truth.method} ${truth.path}: body`);
  return lost;
}

function hasBody(endpoint: Endpoint): boolean {
  return endpoint.args.some(({ to }) => to.some((target) => target.in === 'body' || target.in === 'body-root'));
}
