import { describe, expect, test } from 'vitest';
import type { Effect, Endpoint, GuardPolicy } from '../../src/endpoint/model.ts';
import { type DeploymentPolicy, decidePolicy, decideWay } from '../../src/orchestration/policy.ts';

interface Case {
  effect: Effect;
  endpoint?: GuardPolicy;
  domain?: { write?: GuardPolicy; destructive?: GuardPolicy };
  deployment?: Partial<DeploymentPolicy>;
  want: GuardPolicy;
  because: string;
}

const cases: Record<string, Case> = {
  'a read': {
    effect: 'read',
    endpoint: 'deny',
    deployment: { readOnly: true },
    want: 'allow',
    because: 'it only reads',
  },
  'a write': { effect: 'write', want: 'allow', because: 'writes are allowed' },
  'a destructive call': { effect: 'destructive', want: 'confirm', because: 'it destroys data' },
  'a write with --read-only': {
    effect: 'write',
    endpoint: 'allow',
    domain: { write: 'allow' },
    deployment: { readOnly: true },
    want: 'deny',
    because: 'this gateway was started with --read-only',
  },
  'a write of a profile that only reads, whatever a file says': {
    effect: 'write',
    endpoint: 'allow',
    deployment: { readOnlyProfile: true, destructive: 'allow' },
    want: 'deny',
    because: 'this profile says readOnly: true',
  },
  'a destructive call with --guard deny, whatever a file says': {
    effect: 'destructive',
    endpoint: 'allow',
    domain: { destructive: 'allow' },
    deployment: { destructive: 'deny' },
    want: 'deny',
    because: 'this gateway was started with --guard deny',
  },
  'a destructive call with --guard allow': {
    effect: 'destructive',
    deployment: { destructive: 'allow' },
    want: 'allow',
    because: 'this gateway was started with --guard allow',
  },
  'a destructive call whose domain says deny': {
    effect: 'destructive',
    domain: { destructive: 'deny' },
    deployment: { destructive: 'allow' },
    want: 'deny',
    because: 'the domain pets says guard.destructive: deny',
  },
  'a write whose domain wants it confirmed': {
    effect: 'write',
    domain: { write: 'confirm' },
    want: 'confirm',
    because: 'the domain pets says guard.write: confirm',
  },
  'a call whose own endpoint says otherwise': {
    effect: 'destructive',
    endpoint: 'allow',
    domain: { destructive: 'deny' },
    want: 'allow',
    because: 'pets.yaml says guard: allow',
  },
};

describe('the policy for', () => {
  test.each(Object.entries(cases))('%s', (_, { effect, endpoint, domain = {}, deployment = {}, want, because }) => {
    const given = { effect, domain: 'pets', source: { file: 'pets.yaml' }, ...(endpoint && { guard: endpoint }) };
    expect(decidePolicy(given as Endpoint, { guard: domain }, { readOnly: false, ...deployment })).toEqual({
      policy: want,
      because,
    });
  });
});

describe('what counts as a confirmation', () => {
  test.each<[string, Parameters<typeof decideWay>, string, string]>([
    ['is either, unless somebody says otherwise', [{}, {}, { readOnly: false }], 'either', 'it is the default'],
    [
      'is what the operator says',
      [{}, {}, { readOnly: false, confirm: 'token' }],
      'token',
      'this gateway was started with --confirm token',
    ],
    [
      'is what the domain says',
      [{}, { name: 'pets', confirm: 'ask' }, { readOnly: false, confirm: 'token' }],
      'ask',
      'the domain pets says confirm: ask',
    ],
    [
      'is what the operation says',
      [
        { confirm: 'token', provenance: { confirm: 'pets.yaml: operations.x.confirm' } },
        { confirm: 'ask' },
        { readOnly: false },
      ],
      'token',
      'pets.yaml: operations.x.confirm says confirm: token',
    ],
    [
      'is the user’s answer where the operator says ask',
      [{ confirm: 'token' }, {}, { readOnly: false, confirm: 'ask' }],
      'ask',
      'this gateway was started with --confirm ask',
    ],
    [
      'is never less in a profile',
      [{}, {}, { readOnly: false, confirm: 'either', confirmAtLeast: 'token' }],
      'either',
      'this gateway was started with --confirm either',
    ],
    [
      'may be more in a profile',
      [{ confirm: 'token' }, {}, { readOnly: false, confirmAtLeast: 'ask' }],
      'ask',
      'this profile says confirm: ask',
    ],
  ])('%s', (_, [endpoint, domain, deployment], way, because) => {
    expect(decideWay(endpoint, domain, deployment)).toEqual({ way, because });
  });
});
