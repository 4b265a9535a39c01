import nock from 'nock';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../src/endpoint/model.ts';
import { createClamp } from '../../src/orchestration/clamp.ts';
import { PRODUCT } from '../../src/product.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { findEndpoint, loadBundled, record, testContracts } from './contract.ts';

const API = 'https://musicbrainz.org/ws/2';
const MASSIVE_ATTACK = '10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8';
const MEZZANINE = '76df3287-6cda-33eb-8e9a-044b5e15ffdd';
const TEARDROP = '24a8eeb4-6c75-4f95-b7d2-0dd8fc1f8cd4';
const headers = { 'user-agent': `Landbridge/${PRODUCT.version} ( tests@example.com )` };

const artist = {
  id: MASSIVE_ATTACK,
  type: 'Group',
  'type-id': 'e431f5f6-b5d2-343d-8b36-72607fffb74b',
  score: 100,
  name: 'Massive Attack',
  'sort-name': 'Massive Attack',
  country: 'GB',
  'life-span': { begin: '1988', ended: null },
};
const search = (kind: string, items: unknown[]) => ({
  created: '2026-11-16T13:00:00.000Z',
  count: 1,
  offset: 0,
  [kind]: items,
});

testContracts('musicbrainz', { MUSICBRAINZ_CONTACT: 'tests@example.com' }, [
  {
    action: 'search_artists',
    args: { query: 'artist:"Massive Attack" AND country:GB' },
    request: `GET ${API}/artist?query=artist%3A%22Massive%20Attack%22%20AND%20country%3AGB&limit=25&fmt=json`,
    headers,
    answer: search('artists', [artist]),
    shows: ['Massive Attack', MASSIVE_ATTACK],
  },
  {
    action: 'search_releases',
    args: { query: 'Mezzanine', limit: 100, offset: 200 },
    request: `GET ${API}/release?query=Mezzanine&limit=100&offset=200&fmt=json`,
    headers,
    answer: search('releases', [{ id: MEZZANINE, title: 'Mezzanine', status: 'Official', date: '1998-04-20' }]),
    shows: ['1998-04-20'],
  },
  {
    action: 'search_recordings',
    args: { query: 'recording:Teardrop', limit: 1 },
    request: `GET ${API}/recording?query=recording%3ATeardrop&limit=1&fmt=json`,
    headers,
    answer: search('recordings', [{ id: TEARDROP, title: 'Teardrop', length: 330773 }]),
    shows: ['330773'],
  },
  {
    action: 'advanced_search',
    args: { entity: 'release-group', query: 'firstreleasedate:[1998 TO 1999]', offset: 0 },
    request: `GET ${API}/release-group?query=firstreleasedate%3A%5B1998%20TO%201999%5D&limit=25&offset=0&fmt=json`,
    headers,
    answer: search('release-groups', [{ id: MEZZANINE, title: 'Mezzanine' }]),
  },
  {
    action: 'lookup_artist',
    args: { mbid: MASSIVE_ATTACK, inc: ['genres', 'url-rels'] },
    request: `GET ${API}/artist/${MASSIVE_ATTACK}?inc=genres%20url-rels&fmt=json`,
    headers,
    answer: { ...artist, genres: [{ name: 'trip hop', count: 18 }] },
    shows: ['trip hop'],
  },
  {
    action: 'lookup_release',
    args: { mbid: MEZZANINE },
    request: `GET ${API}/release/${MEZZANINE}?fmt=json`,
    headers,
    answer: { id: MEZZANINE, title: 'Mezzanine', barcode: '724384559922' },
    shows: ['724384559922'],
  },
  {
    action: 'lookup_recording',
    args: { mbid: TEARDROP, inc: ['artists'] },
    request: `GET ${API}/recording/${TEARDROP}?inc=artists&fmt=json`,
    headers,
    answer: { id: TEARDROP, title: 'Teardrop', video: false },
  },
  {
    action: 'browse_releases',
    args: { release_group: MEZZANINE, type: 'album', limit: 50 },
    request: `GET ${API}/release?release-group=${MEZZANINE}&type=album&limit=50&fmt=json`,
    headers,
    answer: { 'release-count': 0, 'release-offset': 0, releases: [] },
  },
]);

describe('MusicBrainz', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await loadBundled('musicbrainz');
  });
  afterEach(() => {
    nock.cleanAll();
  });

  const refused: [string, string, Record<string, unknown>, RegExp][] = [
    ['an id that is no UUID', 'lookup_artist', { mbid: 'massive-attack' }, /mbid/],
    ['a UUID with a piece of path behind it', 'lookup_artist', { mbid: `${MASSIVE_ATTACK}/../x` }, /mbid/],
    ['a blank query', 'search_artists', { query: '  ' }, /query/],
    ['an unknown entity', 'advanced_search', { entity: 'song', query: 'x' }, /entity/],
    ['an unknown inc', 'lookup_artist', { mbid: MASSIVE_ATTACK, inc: ['genre'] }, /inc/],
    ['a browse without a starting point', 'browse_releases', { limit: 1 }, /exactly one of artist/],
    ['a browse with two', 'browse_releases', { artist: MASSIVE_ATTACK, label: MEZZANINE }, /exactly one of artist/],
  ];
  for (const [what, action, args, message] of refused) {
    test(`refuses ${what}`, () => {
      const endpoint = findEndpoint(domain, action);
      expect(() => createValidator(endpoint)(endpoint.toolName, args)).toThrow(message);
    });
  }

  test.each([
    [500, 100, 'limit was 500; 100 is the most, so 100 was used'],
    ['500', 100, 'limit was 500; 100 is the most, so 100 was used'],
    [0, 1, 'limit was 0; 1 is the least, so 1 was used'],
  ])('a limit of %j becomes %i, and the answer says so', (limit, used, note) => {
    for (const action of [
      'search_artists',
      'search_releases',
      'search_recordings',
      'advanced_search',
      'browse_releases',
    ]) {
      const endpoint = findEndpoint(domain, action);
      expect(createClamp(endpoint)?.({ limit })).toEqual({ args: { limit: used }, notes: [note] });
      expect(endpoint.inputSchema).toMatchObject({ properties: { limit: { minimum: 1, maximum: 100 } } });
    }
    expect(createClamp(findEndpoint(domain, 'search_artists'))?.({ limit: 7 }).notes).toEqual([]);
  });

  test('drops ids of enumerations from lookups and from searches', async () => {
    const { text } = await record(findEndpoint(domain, 'lookup_artist'), { mbid: MASSIVE_ATTACK }, 200, artist);
    expect(text).toContain('Group');
    expect(text).not.toContain('type-id');
    const answer = { artists: [artist] };
    const search = await record(findEndpoint(domain, 'search_artists'), { query: 'x' }, 200, answer);
    expect(search.text).toContain('Group');
    expect(search.text).not.toContain('type-id');
  });

  test('says who is calling even when no contact is set', () => {
    expect(findEndpoint(domain, 'search_artists').headers['User-Agent']).toMatch(
      /^Landbridge\/\d+\.\d+\.\d+ \( .+ \)$/,
    );
  });
});
