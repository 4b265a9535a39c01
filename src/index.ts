// The public names of the package, listed one by one; test/public.test.ts pins them.

export { type SampleApi, startSampleApi } from '#sample';
export { type AuditTrail, openTrail as openAuditTrail } from './audit/open-trail.ts';
export type { TrailLog, TrailOptions } from './audit/trail.ts';
export type {
  Ask,
  Asked,
  AskingCall,
  Choice,
  Client,
  Principal,
  Question,
  ReportProgress,
  Transport,
  WriteLog,
  YesNoQuestion,
} from './call/caller.ts';
export type { Confirmation, Evidence, Permission } from './call/evidence.ts';
export {
  type Controls,
  ExecutionContext,
  type RequestFacts,
  type ResultFacts,
  type ResultRecord,
} from './call/execution-context.ts';
export type { Handler, Middleware } from './call/handler.ts';
export type { UpstreamTrace } from './call/journal.ts';
export type { Content, Outcome } from './call/outcome.ts';
export { type ActionHints, aggregateAnnotations } from './catalog/aggregate-hints.ts';
export type { NativeAction, RestAction } from './catalog/grouped/action.ts';
export {
  type ActionText,
  buildDescription,
  buildToonDescription,
  type DescriptionInput,
  type ToolText,
} from './catalog/grouped/grouped-description.ts';
export { type ActionFields, buildGroupedSchema, type GroupedSchemaInput } from './catalog/grouped/grouped-schema.ts';
export type { ActionMetadata, BuilderOptions, GroupBuilder } from './catalog/grouped/grouped-tool-builder.ts';
export { GroupedToolBuilder } from './catalog/grouped/grouped-tool-builder.ts';
export { buildActionKey, type ChainedAction, compileChains, type Strategies } from './catalog/grouped/strategies.ts';
export {
  defineTool,
  defineTools,
  type NativeTool,
  type ToolDeclaration,
  type ToolHandler,
} from './catalog/native/define-tool.ts';
export { errorResult, textResult } from './catalog/native/plain-results.ts';
export type { Exposure, Registry, ToolDefinition, ToolEntry } from './catalog/registry.ts';
export type { PromptEntry, PromptOutcome } from './catalog/resources-and-prompts/prompts.ts';
export type { ReadOutcome, ResourceEntry, TemplateEntry } from './catalog/resources-and-prompts/resources.ts';
export type { Selection } from './catalog/select-endpoints.ts';
export type { CatalogOperation } from './catalog/tree.ts';
export { buildDomain, DefinitionError } from './domain/definition/build-domain.ts';
export { defineDomain } from './domain/definition/define-domain.ts';
export type { DomainDefinition, EndpointDefinition } from './domain/definition/definition-types.ts';
export { type LoadOptions, loadDomains } from './domain/load.ts';
export type { Args, ConfirmWay, Domain, Effect, Endpoint, GuardPolicy, JsonSchema } from './endpoint/model.ts';
export { ERRORS, type ErrorCode, type FailureMode, GatewayError, ToolTimeoutError } from './errors.ts';
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type NativeEntries,
  type Profile,
  type Service,
} from './gateway.ts';
export { ToolAnnotations } from './model/annotations.ts';
export { BaseModel } from './model/base.ts';
export {
  ConverterBase,
  GroupConverterBase,
  PromptArgumentConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from './model/converter-bases.ts';
export {
  GroupConverter,
  type GroupOutline,
  PromptArgumentConverter,
  PromptConverter,
  ResourceConverter,
  ToolAnnotationsConverter,
  ToolConverter,
} from './model/converters.ts';
export { Group } from './model/group.ts';
export { GroupItem } from './model/group-item.ts';
export { Prompt, PromptArgument } from './model/prompt.ts';
export { Resource } from './model/resource.ts';
export { Tool, type ToolInit } from './model/tool.ts';
export type { WirePrompt, WireResource, WireTool, WireVersion } from './model/wire.ts';
export { type ImportOptions, importDocument } from './openapi/import-document.ts';
export type { SpentStore } from './orchestration/confirmations.ts';
export { createStateCodec, type StateCodec, type StateOptions } from './orchestration/states.ts';
export { MODERN_VERSION as PROTOCOL_VERSION } from './protocol/eras.ts';
export type { Reply, Sender } from './protocol/sender.ts';
export type { AttachOptions, Detach } from './sdk/attach.ts';
export { type TagFilter, ToolRegistry } from './sdk/tool-registry.ts';
export type { HttpServer } from './transport/http-listener.ts';
export { type StdioServer, startStdio } from './transport/lines/stdio.ts';
export { startTcp, type TcpOptions, type TcpServer } from './transport/lines/tcp.ts';
export { type ServeOptions, serveHttp } from './transport/serve-http.ts';
