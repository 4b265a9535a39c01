// Calls an endpoint of a bundled domain the way the gateway does (validate, then execute), with nock as the API, and
// gives back the request exactly as it left.
import nock from 'nock';
import { getGlobalDispatcher } from 'undici';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadDomains } from '../../src/domain/load.ts';
import type { Args, Domain, Endpoint } from '../../src/endpoint/model.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { contextOf } from '../support/context.ts';

export interface Contract {
  readonly action: string;
  readonly args?: Args;
  /** `GET https://host/path?query`, byte for byte. */
  readonly request: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Recorded shape of the API's answer. */
  readonly answer?: unknown;
  /** What the model must be able to read in the result. */
  readonly shows?: readonly string[];
}

export async function loadBundled(name: string, env: Record<string, string> = {}): Promise<Domain> {
  const extension = name === 'musicbrainz' ? 'ts' : 'yaml';
  const [domain] = await loadDomains({ paths: [`domains/${name}.${extension}`], env });
  return domain!;
}

const executor = createExecutor({ dispatcher: () => getGlobalDispatcher() });

export function findEndpoint(domain: Domain, action: string): Endpoint {
  const endpoint = domain.endpoints.find((candidate) => candidate.action === action);
  if (endpoint === undefined) throw new Error(`no endpoint ${action}`);
  return endpoint;
}

/** Validates and sends one call; whatever the request is, nock answers it once and it is recorded. */
export async function record(endpoint: Endpoint, args: Args, status: number, answer: unknown) {
  const seen: { request: string; headers: Record<string, string>; body: unknown }[] = [];
  nock(new URL(endpoint.baseUrl).origin)
    .intercept(() => true, endpoint.method)
    .reply(async (request: Request) => {
      const text = await request.text();
      seen.push({
        request: `${request.method} ${request.url}`,
        headers: Object.fromEntries(request.headers),
        body: text === '' ? undefined : JSON.parse(text),
      });
      return [status, answer === undefined ? '' : JSON.stringify(answer), { 'content-type': 'application/json' }];
    });
  const valid = createValidator(endpoint)(endpoint.toolName, args);
  const result = await executor.compile(endpoint).run(contextOf({ tool: endpoint.toolName }), valid);
  expect(seen).toHaveLength(1);
  const text = result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  return { ...seen[0]!, result, text };
}

/** One test per contract, and one that no endpoint was forgotten. */
export function testContracts(name: string, env: Record<string, string>, contracts: readonly Contract[]): void {
  describe(`domains/${name}`, () => {
    let domain: Domain;
    beforeAll(async () => {
      domain = await loadBundled(name, env);
    });
    afterEach(() => {
      nock.cleanAll();
    });

    test('every endpoint has a contract', () => {
      const actions = domain.endpoints.map((endpoint) => endpoint.action).sort();
      expect([...new Set(contracts.map((contract) => contract.action))].sort()).toEqual(actions);
    });

    test('every example is a call that validates', () => {
      for (const endpoint of domain.endpoints) {
        for (const example of endpoint.examples) {
          expect(() => createValidator(endpoint)(endpoint.toolName, example)).not.toThrow();
        }
      }
    });

    for (const contract of contracts) {
      test(`${contract.action} sends ${contract.request}`, async () => {
        const endpoint = findEndpoint(domain, contract.action);
        const sent = await record(endpoint, contract.args ?? {}, contract.status ?? 200, contract.answer);
        expect(sent.request).toBe(contract.request);
        expect(sent.body).toEqual(contract.body);
        expect(sent.headers).toMatchObject({
          accept: expect.stringContaining('application/json'),
          ...(contract.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...contract.headers,
        });
        if (contract.body === undefined) expect(sent.headers).not.toHaveProperty('content-type');
        expect(sent.headers).not.toHaveProperty('authorization');
        expect(sent.result.ok).toBe(true);
        for (const text of contract.shows ?? []) expect(sent.text).toContain(text);
      });
    }
  });
}
