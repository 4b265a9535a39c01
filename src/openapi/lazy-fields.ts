// Fields of an endpoint that may never be read: its answer, texts, schemas and examples. Each is built when it is first read, and
// kept.
import { READ_METHODS } from '../endpoint/conventions/effect.ts';
import type {
  Arg,
  Args,
  BodyPlan,
  DocumentExample,
  Endpoint,
  FixedValue,
  JsonSchema,
  Pagination,
  ResponsePlan,
  Target,
} from '../endpoint/model.ts';
import { toPlainLines, toPlainText, toSummary } from '../endpoint/plain-text.ts';
import { type Node, omitUndefined, textAt } from '../endpoint/untrusted.ts';
import { exampleCalls } from '../schema/example-calls.ts';
import { loosenFormats } from '../schema/loosen-formats.ts';
import type { OperationInfo } from './import-options.ts';
import { buildExamples, readExamples } from './objects/example.ts';
import type { ImportContext, Naming } from './objects/operation-object.ts';
import type { RequestDraft } from './objects/operation-request.ts';
import type { DocumentOperation } from './objects/paths.ts';
import { mediaTypesOf, readSuccessResponse, type SuccessResponse } from './objects/response.ts';
import type { OperationExtension } from './objects/x-mcp.ts';
import { findOmissions } from './omissions.ts';
import type { Definition } from './schema/convert-schema.ts';
import { buildInputSchema } from './schema/input-schema.ts';
import type { SchemaBuilder } from './schema/schema-builder.ts';
import type { DocumentPlace } from './source/resolve.ts';

/** What is known about an operation after the start. */
interface OperationDraft {
  readonly operation: DocumentOperation;
  readonly naming: Naming;
  readonly extension: OperationExtension;
  readonly request: RequestDraft;
  /** Where the base URL comes from. */
  readonly server: { readonly from: string };
  readonly effectReason: string;
  readonly context: ImportContext;
}

type Texts = Readonly<Record<'title' | 'summary' | 'description', string | undefined>>;

export class LazyFields {
  /** The endpoint that has these fields; set once it is built. */
  endpoint: Endpoint | undefined;
  readonly #draft: OperationDraft;
  readonly #texts: Texts;
  #answer: SuccessResponse | undefined;
  #response: ResponsePlan | undefined;
  #pagination: { readonly plan: Pagination | undefined } | undefined;
  #title: { readonly text: string | undefined } | undefined;
  #summary: string | undefined;
  #description: { readonly text: string | undefined } | undefined;
  #inputSchema: JsonSchema | undefined;
  #outputSchema: { readonly schema: JsonSchema | undefined } | undefined;
  #examples: readonly Args[] | undefined;
  #documentExamples: readonly DocumentExample[] | undefined;
  #leftOut: ReturnType<typeof findOmissions> | undefined;
  #provenance: Record<string, string> | undefined;

  constructor(draft: OperationDraft, texts: Texts) {
    this.#draft = draft;
    this.#texts = texts;
  }

  get #answerDraft(): SuccessResponse {
    const { operation, context } = this.#draft;
    const { place } = operation;
    this.#answer ??= readSuccessResponse(place, mediaTypesOf(context.root, place.value, 'produces'), context.resolver);
    return this.#answer;
  }

  get args(): readonly Arg[] {
    return this.#draft.request.plan.args;
  }

  get fixed(): readonly FixedValue[] {
    return this.#draft.request.plan.fixed;
  }

  get withheld(): readonly Target[] | undefined {
    const { withheld } = this.#draft.request.plan;
    return withheld.length > 0 ? withheld : undefined;
  }

  get body(): BodyPlan | undefined {
    return this.#draft.request.body?.plan;
  }

  get response(): ResponsePlan {
    if (this.#response === undefined) {
      const { context, extension } = this.#draft;
      const plain = context.responsePlan(this.#answerDraft);
      this.#response = extension.response === undefined ? plain : { ...plain, ...extension.response };
    }
    return this.#response;
  }

  get pagination(): Pagination | undefined {
    if (this.#pagination === undefined) {
      const { operation, context } = this.#draft;
      const keys = this.args.map(({ key }) => key);
      const plan = context.detectPagination(keys, READ_METHODS.has(operation.info.method), this.#answerDraft.schema);
      this.#pagination = { plan };
    }
    return this.#pagination.plan;
  }

  get title(): string | undefined {
    const { title } = this.#texts;
    this.#title ??= { text: title ? toSummary(title, 100).replace(/\.$/, '') : undefined };
    return this.#title.text;
  }

  get summary(): string {
    const { summary, description } = this.#texts;
    const { operation, naming } = this.#draft;
    this.#summary ??=
      (summary && toSummary(summary)) ||
      (description && toSummary(description)) ||
      plainSummary(operation.info, naming.action);
    return this.#summary;
  }

  get description(): string | undefined {
    const { summary = '', description = '' } = this.#texts;
    this.#description ??= { text: toPlainLines(description) || moreThanSentence(summary) };
    return this.#description.text;
  }

  get inputSchema(): JsonSchema {
    if (this.#inputSchema === undefined) {
      const { context } = this.#draft;
      const { plan, body } = this.#draft.request;
      // The examples need the schema as the document has it.
      this.#inputSchema = buildInputSchema(plan.arguments, body, plan.fixed, context);
      this.#inputSchema = loosenFormats(this.#inputSchema, exampleCalls(this.endpoint!));
    }
    return this.#inputSchema;
  }

  get outputSchema(): JsonSchema | undefined {
    this.#outputSchema ??= { schema: buildOutputSchema(this.#answerDraft.schema, this.#draft.context.builder) };
    return this.#outputSchema.schema;
  }

  *prepareOutput(): Generator<void, void> {
    const { context } = this.#draft;
    const { schema } = this.#answerDraft;
    if (schema === undefined || this.#outputSchema !== undefined) return;
    const uses = new Set<Definition>();
    context.builder.convert(schema, 'response', uses);
    yield;
    yield* context.builder.prepare(uses, 'response');
  }

  get examples(): readonly Args[] {
    this.#examples ??= [...this.#draft.extension.examples, ...buildExamples(this.endpoint!)].slice(0, 3);
    return this.#examples;
  }

  get documentExamples(): readonly DocumentExample[] {
    const { plan, body } = this.#draft.request;
    this.#documentExamples ??= readExamples(plan.arguments, body, this.#draft.context.resolver);
    return this.#documentExamples;
  }

  get leftOut(): ReturnType<typeof findOmissions> {
    const { operation, context } = this.#draft;
    const { mediaTypes } = this.#answerDraft;
    this.#leftOut ??= findOmissions(operation, this.#draft.request, this.endpoint!, mediaTypes, context);
    return this.#leftOut;
  }

  get provenance(): Record<string, string> {
    const { operation, naming, extension, server, effectReason } = this.#draft;
    this.#provenance ??= omitUndefined<Record<string, string>>({
      name: naming.from,
      ...explainTexts(this.endpoint!, extension, operation.place.value as Node, this.#texts),
      effect: effectReason,
      'base URL': server.from,
      operationId: operation.info.operationId,
    });
    return this.#provenance;
  }
}

/** The property of an endpoint with its LazyFields. */
export const LAZY: unique symbol = Symbol('lazy fields');

/**
 * The getters of every endpoint. All endpoints share the same functions, which find the fields through LAZY (copied with the
 * endpoint). With functions of its own, each endpoint would be an object in dictionary mode of 3.4 KB instead of 0.8, for which V8
 * does not optimise code.
 */
export const LAZY_PROPERTIES: PropertyDescriptorMap = Object.fromEntries(
  (
    [
      'title',
      'summary',
      'description',
      'args',
      'fixed',
      'withheld',
      'body',
      'inputSchema',
      'outputSchema',
      'response',
      'pagination',
      'examples',
      'provenance',
    ] as const
  ).map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: { readonly [LAZY]: LazyFields }) {
        return this[LAZY][name];
      },
    },
  ]),
);

/**
 * The summary of an operation without any text: `Unban user from guild (DELETE /guilds/{guild_id}/bans/{user_id}).` The words are
 * those of the name, without what a generator added to the operationId.
 */
function plainSummary({ method, path, operationId }: OperationInfo, action: string): string {
  const request = `${method} ${toPlainText(path)}`;
  const words = operationId === undefined ? '' : action.replaceAll('_', ' ');
  return /[a-z]{2}/.test(words) ? `${words[0]!.toUpperCase()}${words.slice(1)} (${request}).` : request;
}

/** A summary of several sentences, which some documents have instead of a description. */
function moreThanSentence(summary: string): string | undefined {
  return summary === '' || toSummary(summary) === toPlainText(summary) ? undefined : toPlainLines(summary) || undefined;
}

function buildOutputSchema(schema: DocumentPlace | undefined, builder: SchemaBuilder): JsonSchema | undefined {
  if (!schema) return undefined;
  const uses = new Set<Definition>();
  const answer = builder.convert(schema, 'response', uses);
  const $defs = builder.definitions(uses, 'response');
  return $defs && typeof answer !== 'boolean' ? { ...answer, $defs } : answer;
}

/** Where the texts for models come from. */
function explainTexts(
  endpoint: Endpoint,
  extension: OperationExtension,
  node: Node,
  texts: Readonly<Record<'summary' | 'description', string | undefined>>,
): { readonly summary: string; readonly description: string } {
  const source = (field: 'description' | 'summary') => {
    if (extension[field] !== undefined) return `${field} of x-mcp`;
    return `${field} of the ${textAt(node, field) === undefined ? 'path' : 'operation'}`;
  };
  // Texts without visible characters are not used.
  const summary =
    texts.summary && toSummary(texts.summary)
      ? source('summary')
      : texts.description && toSummary(texts.description)
        ? `first sentence of the ${source('description')}`
        : `made from ${endpoint.source.operationId === undefined ? '' : 'operationId, '}method and path`;
  const isOwn = texts.description !== undefined && toPlainLines(texts.description) !== '';
  return { summary, description: isOwn ? source('description') : summary };
}
