// An OTLP/HTTP receiver on loopback: reads spans as JSON and as protobuf (opentelemetry-proto, trace/v1), compressed or not.
import { gunzipSync } from 'node:zlib';
import { startRecorder } from './recorder.ts';

type Value = string | number | boolean;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly attributes: Readonly<Record<string, Value>>;
  readonly isError: boolean;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: Readonly<Record<string, Value>>;
  readonly scope: string;
  readonly traceState: string;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Headers of each export. */
  readonly exports: readonly Readonly<Record<string, unknown>>[];
  /** What the next exports are answered with. */
  status: number;
  /** Resolves when this many spans are there. */
  wait(count: number): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

const KINDS = ['internal', 'internal', 'server', 'client'] as const;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const exports: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const { origin, close } = await startRecorder(({ url, headers, body }, response) => {
    exports.push({ url, ...headers });
    if (receiver.status === 200) {
      const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      spans.push(...(headers['content-type'] === 'application/json' ? readJson(bytes) : readProtobuf(bytes)));
    }
    response.statusCode = receiver.status;
    response.end();
    for (const wake of waiting) wake();
  });
  const receiver: OtlpReceiver = {
    url: origin,
    spans,
    exports,
    status: 200,
    wait: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (spans.length < count) return;
          waiting.delete(look);
          resolve(spans);
        };
        waiting.add(look);
        look();
      }),
    close,
  };
  return receiver;
}

interface JsonAttribute {
  readonly key: string;
  readonly value: { stringValue?: string; boolValue?: boolean; intValue?: string | number; doubleValue?: number };
}

function readJson(bytes: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(bytes.toString());
  const record = (attributes: readonly JsonAttribute[] = []) =>
    Object.fromEntries(
      attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
        key,
        stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
      ]),
    );
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the specification, read field by field
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: see above
    scopeSpans.flatMap(({ scope, spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: see above
      spans.map((span: any) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind],
        attributes: record(span.attributes),
        isError: span.status?.code === 2,
        links: (span.links ?? []).map(({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId })),
        resource: record(resource.attributes),
        scope: scope.name,
        traceState: span.traceState ?? '',
      })),
    ),
  );
}

type Field = { readonly number: number; readonly bytes: Buffer; readonly value: bigint };

/** The fields of a message; numbers of every width as `value`, whatever has a length as `bytes`. */
function readFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const empty = Buffer.alloc(0);
  while (at < message.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) fields.push({ number, bytes: empty, value: varint() });
    else if (type === 1 || type === 5) {
      const width = type === 1 ? 8 : 4;
      const value = width === 8 ? message.readBigUInt64LE(at) : BigInt(message.readUInt32LE(at));
      fields.push({ number, bytes: message.subarray(at, at + width), value });
      at += width;
    } else if (type === 2) {
      const length = Number(varint());
      fields.push({ number, bytes: message.subarray(at, at + length), value: 0n });
      at += length;
    } else throw new Error(`no such wire type: ${type}`);
  }
  return fields;
}

function readProtobuf(bytes: Buffer): ReceivedSpan[] {
  const all = (message: Buffer, number: number) => readFields(message).filter((field) => field.number === number);
  const inner = (message: Buffer, number: number) => all(message, number).map((field) => field.bytes);
  const one = (message: Buffer, number: number) => inner(message, number)[0] ?? Buffer.alloc(0);
  const value = (any: Buffer): Value => {
    const [field] = readFields(any);
    if (field?.number === 2) return field.value === 1n;
    if (field?.number === 3) return Number(field.value);
    if (field?.number === 4) return field.bytes.readDoubleLE();
    return field?.bytes.toString() ?? '';
  };
  const record = (attributes: readonly Buffer[]) =>
    Object.fromEntries(attributes.map((pair) => [one(pair, 1).toString(), value(one(pair, 2))]));
  return inner(bytes, 1).flatMap((group) => {
    const resource = record(inner(one(group, 1), 1));
    return inner(group, 2).flatMap((scoped) =>
      inner(scoped, 2).map(
        (span): ReceivedSpan => ({
          traceId: one(span, 1).toString('hex'),
          spanId: one(span, 2).toString('hex'),
          parentSpanId: one(span, 4).toString('hex'),
          name: one(span, 5).toString(),
          kind: KINDS[Number(all(span, 6)[0]?.value ?? 0n)]!,
          attributes: record(inner(span, 9)),
          isError: all(one(span, 15), 3)[0]?.value === 2n,
          links: inner(span, 13).map((link) => ({
            traceId: one(link, 1).toString('hex'),
            spanId: one(link, 2).toString('hex'),
          })),
          resource,
          scope: one(one(scoped, 1), 1).toString(),
          traceState: one(span, 3).toString(),
        }),
      ),
    );
  });
}

/** A span with what is under it, in the order of their ends; ids left out. */
export interface Tree {
  readonly name: string;
  readonly kind?: string;
  readonly error?: unknown;
  readonly steps?: readonly Tree[];
}

/** The trees of spans, as `name`, what is not internal, what failed, and the steps. */
export function toTrees(spans: readonly ReceivedSpan[], parent?: ReceivedSpan): Tree[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId }) => (parent ? parentSpanId === parent.spanId : !ids.has(parentSpanId)))
    .map((span) => {
      const steps = toTrees(spans, span);
      return {
        name: span.name,
        ...(span.kind !== 'internal' && { kind: span.kind }),
        ...(span.isError && { error: span.attributes['error.type'] }),
        ...(steps.length > 0 && { steps }),
      };
    });
}
