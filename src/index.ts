// The public names of the package, listed one by one.

// Tools in code
export { GroupedToolBuilder } from './catalog/builder.ts';
export { defineTool, type NativeTool } from './catalog/define-tool.ts';
export type { PromptEntry } from './catalog/prompts.ts';
export type { ToolDefinition, ToolEntry } from './catalog/registry.ts';
export type { ResourceEntry, TemplateEntry } from './catalog/resources.ts';
export { ToolRegistry } from './catalog/tool-registry.ts';
export { type LoadOptions, loadDomains } from './domain/load.ts';
export { buildDomain } from './endpoint/build.ts';
export type { Content, Outcome } from './endpoint/content.ts';
// Domains and endpoints
export { defineDomain } from './endpoint/define.ts';
export type { DomainDefinition, EndpointDefinition } from './endpoint/definition.ts';
export type { Args, Domain, Effect, Endpoint, GuardPolicy, JsonSchema } from './endpoint/model.ts';
// Failures
export { ERRORS, type ErrorCode, type FailureMode, GatewayError, ToolTimeoutError } from './errors.ts';
// The gateway and its transports
export { createGateway, type Gateway, type GatewayOptions, type NativeEntries } from './gateway.ts';
export type { Call, Handler, Middleware, Principal } from './orchestration/call.ts';
export { createStateCodec, type StateCodec, type StateOptions } from './orchestration/states.ts';
export type { Reply, RequestContext } from './protocol/context.ts';
export { type HttpOptions, type HttpServer, startHttp } from './transport/http.ts';
export { type ServeOptions, serveHttp } from './transport/serve.ts';
export { type StdioServer, startStdio } from './transport/stdio.ts';
export { startTcp, type TcpOptions, type TcpServer } from './transport/tcp.ts';
