// What a call came to, as result text of its era. Written by hand where it is hot: the text of an answer is escaped
// once and never parsed.
import type { Content, Outcome } from '../../call/outcome.ts';
import { QuotedText } from '../../call/quoted-text.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Version } from '../eras.ts';
import { MODERN_VERSION } from '../eras.ts';

export interface ResultWriter {
  /** tools/call. */
  writeOutcome(outcome: Outcome, version: Version): string;
  /** Any other result object. */
  writeObject(result: Readonly<Record<string, unknown>>, version: Version, caching?: Caching): string;
}

export interface Caching {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export function createResultWriter(serverInfoMeta: Readonly<Record<string, unknown>>): ResultWriter {
  const metaJson = JSON.stringify(serverInfoMeta);
  const complete = `,"resultType":"complete","_meta":${metaJson}}`;

  const writeObject: ResultWriter['writeObject'] = (result, version, caching) =>
    version === MODERN_VERSION
      ? JSON.stringify({
          resultType: 'complete',
          ...result,
          ...caching,
          _meta: { ...serverInfoMeta, ...(result._meta as object | undefined) },
        })
      : JSON.stringify(result);

  return {
    writeObject,
    writeOutcome(outcome, version) {
      const { content, structured, isError, inputRequired } = outcome;
      if (inputRequired) return writeObject({ ...inputRequired, resultType: 'input_required' }, version);
      const only = content.length === 1 ? content[0] : undefined;
      let json =
        only?.type === 'text'
          ? `{"content":[{"type":"text","text":${QuotedText.quote(only)}}]`
          : `{"content":${JSON.stringify(toContent(content, version))}`;
      if (structured !== undefined) json += `,"structuredContent":${JSON.stringify(toStructured(structured, version))}`;
      if (isError) json += ',"isError":true';
      return json + (version === MODERN_VERSION ? complete : '}');
    },
  };
}

/** Sounds are content since 2025-03-26; before, they are resources like any other file. */
function toContent(content: readonly Content[], version: Version): readonly Content[] {
  if (version !== '2024-11-05' || !content.some(({ type }) => type === 'audio')) return content;
  return content.map((block): Content => {
    if (block.type !== 'audio') return block;
    const { data, mimeType } = block;
    return {
      type: 'resource',
      resource: { uri: `answer://sound/${mimeType.replace('/', '.')}`, mimeType, blob: data },
    };
  });
}

/** Before 2026-07-28 structured content had to be an object; the schema is wrapped alike. */
function toStructured(value: unknown, version: Version): unknown {
  if (version === MODERN_VERSION) return value;
  return isObject(value) ? value : { result: value };
}
