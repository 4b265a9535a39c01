// MusicBrainz, the open music encyclopedia: https://musicbrainz.org/doc/MusicBrainz_API
// It asks every program to say who is calling (MUSICBRAINZ_CONTACT) and to send at most one request per second.
import { defineDomain } from 'landbridge';
import { z } from 'zod';

const mbid = (what: string, from: string) =>
  z
    .guid(`must be an MBID, a UUID such as 5b11f4ce-a62d-471e-81fc-a69a8278c7da`)
    .describe(`MBID of the ${what}, from ${from}.`);
const paging = {
  limit: z.int().min(1).max(100).default(25).describe('Results per page, 1 to 100.'),
  offset: z.int().min(0).max(1_000_000).optional().describe('Results to skip, for the next page.'),
};
const query = (fields: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .describe(
      `Words, or Lucene syntax over the fields ${fields}. Quote phrases: artist:"Massive Attack" AND date:1998.`,
    );
const include = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.array(z.enum(values)).min(1).max(10).optional().describe('What to return as well.');

const json = { fmt: 'json' };
const pagination = { kind: 'offset', arg: 'offset', sizeArg: 'limit' } as const;
const inc = { inc: { style: 'spaceDelimited', explode: false } } as const;
// a search for "all" albums asks for 500; the API has at most 100 per page
const clamped = { limit: { clamp: true } } as const;

export default defineDomain({
  name: 'musicbrainz',
  title: 'MusicBrainz',
  description:
    'The open music encyclopedia: artists, releases, recordings and how they belong together. Search first, then look up by MBID. At most one request per second; a 503 means: wait a moment.',
  baseUrl: { env: 'MUSICBRAINZ_BASE_URL', default: 'https://musicbrainz.org/ws/2' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the gateway fills it in from the environment
  headers: { 'User-Agent': 'Landbridge/0.2.0 ( ${MUSICBRAINZ_CONTACT:-contact not set} )' },
  timeoutMs: 15_000,
  // ids of enumerations: their names stand right beside them
  response: { drop: ['type-id', 'status-id', 'packaging-id', 'gender-id', 'format-id'] },
  endpoints: {
    search_artists: {
      path: '/artist',
      summary: 'Finds artists and groups by name, country, type or other fields.',
      description:
        'Returns matches with a score, MBID, country and life span, best first. Use lookup_artist for details of one.',
      tags: ['search'],
      args: { query: query('artist, alias, country, type, gender, begin, end, area, tag'), ...paging },
      place: clamped,
      fixed: json,
      pagination,
      examples: [{ query: 'artist:Björk AND country:IS', limit: 5 }],
    },
    search_releases: {
      path: '/release',
      summary: 'Finds releases: albums, singles and other issues, each edition by itself.',
      description: 'Returns matches with a score, MBID, date, country, label and artists, best first.',
      tags: ['search'],
      args: {
        query: query('release, artist, arid, date, country, label, catno, barcode, format, status, primarytype'),
        ...paging,
      },
      place: clamped,
      fixed: json,
      pagination,
      examples: [{ query: 'release:"Mezzanine" AND artist:"Massive Attack"' }],
    },
    search_recordings: {
      path: '/recording',
      summary: 'Finds recordings: a certain take of a song, wherever it was released.',
      description: 'Returns matches with a score, MBID, length in milliseconds, artists and releases, best first.',
      tags: ['search'],
      args: { query: query('recording, artist, arid, release, isrc, dur, date, country, tag'), ...paging },
      place: clamped,
      fixed: json,
      pagination,
      examples: [{ query: 'recording:"Teardrop" AND artist:"Massive Attack"', limit: 3 }],
    },
    advanced_search: {
      path: '/{entity}',
      summary: 'Searches any kind of entity with the full Lucene syntax.',
      description:
        'For kinds the other searches do not cover, or conditions over many fields: AND, OR, NOT, ranges such as begin:[1990 TO 1999], wildcards.',
      tags: ['search'],
      args: {
        entity: z
          .enum([
            'annotation',
            'area',
            'artist',
            'cdstub',
            'event',
            'instrument',
            'label',
            'place',
            'recording',
            'release',
            'release-group',
            'series',
            'tag',
            'url',
            'work',
          ])
          .describe('What to look for.'),
        query: query('of that kind (see musicbrainz.org/doc/MusicBrainz_API/Search)'),
        ...paging,
      },
      place: clamped,
      fixed: json,
      pagination,
      examples: [{ entity: 'label', query: 'country:GB AND begin:[1970 TO 1979]' }],
    },
    lookup_artist: {
      path: '/artist/{mbid}',
      summary: 'Gets one artist: names, kind, area, life span.',
      tags: ['lookup'],
      args: {
        mbid: mbid('artist', 'search_artists'),
        inc: include([
          'aliases',
          'annotation',
          'tags',
          'genres',
          'ratings',
          'releases',
          'release-groups',
          'recordings',
          'works',
          'artist-rels',
          'url-rels',
        ]),
      },
      place: inc,
      fixed: json,
      examples: [{ mbid: '10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8', inc: ['genres', 'url-rels'] }],
    },
    lookup_release: {
      path: '/release/{mbid}',
      summary: 'Gets one release: date, country, packaging; with inc also its tracks and labels.',
      tags: ['lookup'],
      args: {
        mbid: mbid('release', 'search_releases or browse_releases'),
        inc: include([
          'artists',
          'artist-credits',
          'labels',
          'recordings',
          'release-groups',
          'media',
          'discids',
          'isrcs',
          'genres',
          'tags',
          'url-rels',
        ]),
      },
      place: inc,
      fixed: json,
      examples: [{ mbid: '76df3287-6cda-33eb-8e9a-044b5e15ffdd', inc: ['artist-credits', 'recordings'] }],
    },
    lookup_recording: {
      path: '/recording/{mbid}',
      summary: 'Gets one recording: title, length; with inc also its artists and the releases it is on.',
      tags: ['lookup'],
      args: {
        mbid: mbid('recording', 'search_recordings'),
        inc: include([
          'artists',
          'artist-credits',
          'releases',
          'isrcs',
          'genres',
          'tags',
          'ratings',
          'work-rels',
          'url-rels',
        ]),
      },
      place: inc,
      fixed: json,
      examples: [{ mbid: '24a8eeb4-6c75-4f95-b7d2-0dd8fc1f8cd4', inc: ['artists', 'releases'] }],
    },
    browse_releases: {
      path: '/release',
      summary: 'Lists all releases of one artist, label, recording or release group.',
      description:
        'Complete and in order, unlike a search. Give exactly one of artist, label, recording and release_group.',
      tags: ['browse'],
      args: z
        .object({
          artist: mbid('artist', 'search_artists').optional(),
          label: mbid('label', 'advanced_search').optional(),
          recording: mbid('recording', 'search_recordings').optional(),
          release_group: mbid('release group', 'lookup_release with inc release-groups').optional(),
          status: z
            .enum(['official', 'promotion', 'bootleg', 'pseudo-release'])
            .optional()
            .describe('Only releases of this status.'),
          type: z
            .enum(['album', 'single', 'ep', 'broadcast', 'other', 'compilation', 'live', 'remix', 'soundtrack'])
            .optional()
            .describe('Only releases of this type.'),
          ...paging,
        })
        .refine((args) => [args.artist, args.label, args.recording, args.release_group].filter(Boolean).length === 1, {
          message: 'give exactly one of artist, label, recording and release_group',
        }),
      place: { release_group: { name: 'release-group' }, ...clamped },
      fixed: json,
      pagination,
      examples: [{ artist: '10adbe5e-a2c0-4bf3-8249-2b4cbf6e6ca8', type: 'album', status: 'official' }],
    },
  },
});
