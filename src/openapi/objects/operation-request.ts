// The request of an Operation Object: its parameters, its body and the arguments they become.
// https://spec.openapis.org/oas/v3.2.0.html#operation-object
import { HEADER_NAME, isArgumentHeader, isMethodParameter } from '../../endpoint/headers/header-names.ts';
import type { Effect, FixedValue, Target } from '../../endpoint/model.ts';
import { listAt, type Node, own } from '../../endpoint/untrusted.ts';
import { type FlatArguments, planArguments } from '../flat-arguments.ts';
import { isText, mayBeObject, type RequiresFields } from '../schema/body-schemas.ts';
import type { CheckSchemas } from '../schema/schema-check.ts';
import type { ShapeOf } from '../schema/schema-shape.ts';
import type { DocumentLimits } from '../source/limits.ts';
import type { OperatorHeader } from '../source/operator-headers.ts';
import { type DocumentPlace, OperationProblem, type Resolver } from '../source/resolve.ts';
import type { BodyKeys } from '../undeclared-keys.ts';
import type { BodyParameter, Parameter, ReadParameters } from './parameter.ts';
import { type DocumentOperation, type PathTemplate, readTemplate } from './paths.ts';
import { type BodyDraft, readBodyParameters, readRequestBody } from './request-body.ts';
import { mediaTypesOf } from './response.ts';
import type { ExtraSchemes, Security } from './security-requirement.ts';
import type { ApiKeyPlace } from './security-scheme.ts';

export interface RequestContext {
  readonly label: string;
  readonly root: unknown;
  readonly resolver: Resolver;
  readonly readParameters: ReadParameters;
  readonly shapeOf: ShapeOf;
  readonly requiresFields: RequiresFields;
  readonly checkSchemas: CheckSchemas;
  readonly headers: readonly OperatorHeader[];
  readonly security: Pick<Security, 'apiKeys' | 'isSigned'>;
  readonly bodyKeys: BodyKeys;
  readonly limits: DocumentLimits;
  readonly warnings: string[];
}

export interface RequestDraft {
  readonly path: string;
  readonly plan: FlatArguments;
  readonly body: BodyDraft | undefined;
  /** Security schemes whose key is also declared as a parameter. */
  readonly schemes: ExtraSchemes;
}

/** Header parameters that the specification says are ignored. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Throws OperationProblem if no request can be made. */
export function readOperationRequest(
  operation: DocumentOperation,
  effect: Effect,
  context: RequestContext,
): RequestDraft {
  const { info, place, pathItem, pointer } = operation;
  const { parameters, bodyParameters } = context.readParameters(pathItem, place);
  const template = readTemplate(info.path, parameters);
  const { sendable, constants, schemes } = keepParameters(parameters, template, operation, effect, context);
  const asWritten = readBody(operation, bodyParameters, context);
  const keys = keysIn(asWritten, operation, context);
  schemes.required.push(...keys.map(({ scheme }) => scheme));
  const all = [...undeclaredVariables(template, sendable, operation, context), ...sendable];
  const { body, plan: draft } = planRequest(all, asWritten, keys);
  const plan = constants.length === 0 ? draft : { ...draft, fixed: [...draft.fixed, ...constants] };
  const { limits, label, warnings } = context;
  for (const name of plan.hiddenButRequired) {
    const what = `x-mcp hides ${JSON.stringify(name)}, but the API requires it, so the model still sees it`;
    warnings.push(
      `${label}: ${info.method} ${info.path}: ${what}; give it a value (x-mcp: { fixed: … }) or a default.`,
    );
  }
  // readOnly arguments are not shown, so they do not count.
  const count = plan.args.filter(({ readOnly }) => !readOnly).length;
  if (count > limits.maxArguments * 2) {
    throw new OperationProblem(
      pointer,
      `it takes ${count} arguments; at most ${limits.maxArguments * 2} are supported`,
    );
  }
  const schemas = sendable.map((parameter) => parameter.schema);
  context.checkSchemas(body ? schemas.concat(body.schemas) : schemas);
  return { path: template.path, plan, body, schemes };
}

/** If a value of the body is sent with every call, the body is always sent, so its required fields are required arguments. */
function planRequest(
  parameters: readonly Parameter[],
  body: BodyDraft | undefined,
  keys: readonly ApiKeyPlace[],
): { readonly body: BodyDraft | undefined; readonly plan: FlatArguments } {
  const plan = planArguments(parameters, body, keys);
  const isSent = keys.length > 0 || plan.fixed.some(({ to }) => to.in === 'body');
  if (!isSent || body === undefined || body.plan.required) return { body, plan };
  const whole = { ...body, plan: { ...body.plan, required: true } };
  return { body: whole, plan: planArguments(parameters, whole, keys) };
}

function readBody(
  { info, place }: DocumentOperation,
  bodyParameters: readonly BodyParameter[],
  { resolver, shapeOf, requiresFields, limits, root }: RequestContext,
): BodyDraft | undefined {
  const bodyContext = { resolver, shapeOf, requiresFields, limits, method: info.method, path: info.path };
  const swagger = place.document.dialect.major === 2;
  return swagger || (bodyParameters.length > 0 && own(place.value, 'requestBody') === undefined)
    ? readBodyParameters(bodyParameters, mediaTypesOf(root, place.value, 'consumes'), place, bodyContext)
    : readRequestBody(place, bodyContext);
}

/**
 * The fields of the body that are API keys; none if the body is a single argument or wrapped, because then the caller writes it.
 */
function keysIn(
  body: BodyDraft | undefined,
  operation: DocumentOperation,
  { bodyKeys, security }: RequestContext,
): ApiKeyPlace[] {
  const names = bodyKeys.get(operation) ?? [];
  if (names.length === 0 || body === undefined || body.whole !== undefined || body.plan.wrap !== undefined) return [];
  return security.apiKeys.filter(
    ({ in: where, field }) =>
      where === 'body' && names.includes(field) && body.fields.some(({ name }) => name === field),
  );
}

const STATEMENT = /^(?:[a-z_]*sql|statements?|script|command|mutation|cypher|gremlin|sparql|flux)$/i;
const MAYBE_STATEMENT = /^(?:[a-z_]*query|expression|code|text|q)$/i;

/** Whether the body may contain a statement (SQL, GraphQL …), which can do anything. */
export function takesStatement(operation: DocumentOperation, context: RequestContext): boolean {
  try {
    const { bodyParameters } = context.readParameters(operation.pathItem, operation.place);
    const body = readBody(operation, bodyParameters, context);
    if (body === undefined || body.whole !== undefined) return true;
    const isObjects = (schema: DocumentPlace) =>
      mayBeObject(schema, context.resolver) && !isText(schema, context.resolver);
    return body.fields.some(
      ({ name, schemas }) => STATEMENT.test(name) || (MAYBE_STATEMENT.test(name) && !schemas.every(isObjects)),
    );
  } catch (error) {
    if (error instanceof OperationProblem) return true;
    throw error;
  }
}

/** Parameters of a signature (AWS Signature Version 4), which is added to every request. */
export const SIGNATURE_PARAMETER: RegExp =
  /^x-amz-(?:content-sha256|date|algorithm|credential|security-token|signature|signedheaders)$/i;

/**
 * The parameters that become arguments: no credentials, no headers that the gateway sets, no path parameters that the path lacks.
 */
function keepParameters(
  parameters: readonly Parameter[],
  template: PathTemplate,
  { pointer, info, place }: DocumentOperation,
  effect: Effect,
  { security, headers, warnings, label }: RequestContext,
): { sendable: Parameter[]; constants: FixedValue[]; schemes: { required: string[]; optional: string[] } } {
  const schemes = { required: [] as string[], optional: [] as string[] };
  const signed = security.isSigned(place.value as Node);
  const sendable: Parameter[] = [];
  const warn = (what: string) => warnings.push(`${label}: ${info.method} ${info.path}: ${what}`);
  for (const parameter of parameters) {
    const { name } = parameter;
    const key = security.apiKeys.find((place) => isAt(parameter, place));
    if (signed && SIGNATURE_PARAMETER.test(name)) continue;
    if (key) {
      if (parameter.required) schemes.required.push(key.scheme);
      else if (key.isParameter) schemes.optional.push(key.scheme);
    } else if (parameter.in === 'header') {
      const lower = name.toLowerCase();
      if (IGNORED_HEADERS.has(lower) || headers.some((header) => header.name === lower)) continue;
      if (!isArgumentHeader(lower, effect)) warn(`the header ${name} cannot be an argument and was left out`);
      else if (HEADER_NAME.test(name)) sendable.push(parameter);
      else if (parameter.required) {
        throw new OperationProblem(
          pointer,
          `it requires the header ${JSON.stringify(name)}, which is not a header name`,
        );
      } else warn(`${JSON.stringify(name)} is not a header name; the parameter was left out`);
    } else if (effect === 'read' && parameter.in !== 'path' && isMethodParameter(name)) {
      warn(`the parameter ${JSON.stringify(name)} would change the HTTP method of a read and was left out`);
    } else if (template.queryVariables.has(name) && (parameter.in === 'path' || parameter.in === 'query')) {
      sendable.push(inQuery(parameter, template.queryVariables.get(name)!));
    } else if (parameter.in === 'path' && !template.variables.includes(name)) {
      warn(`the path parameter ${JSON.stringify(name)} is not in the path template and was left out`);
    } else sendable.push(parameter);
  }
  const constants = signed ? sendable.flatMap(toConstant) : [];
  const isConstant = ({ target }: Parameter) => constants.some(({ to }) => to === target);
  return { sendable: sendable.filter((parameter) => !isConstant(parameter)), constants, schemes };
}

/** Parameters that AWS requires in every call and that have only one possible value: `X-Amz-Target`, `Action`, `Version`. */
function toConstant({ in: where, required, schema, target }: Parameter): FixedValue[] {
  if (!required || (where !== 'header' && where !== 'query')) return [];
  const list = listAt(schema.value, 'enum');
  const value = list.length === 1 ? list[0] : (own(schema.value, 'const') ?? own(schema.value, 'default'));
  const isOnly =
    list.length < 2 && (list.length === 1 || where === 'header' || own(schema.value, 'const') !== undefined);
  return isOnly && typeof value === 'string' ? [{ value, to: target }] : [];
}

function isAt({ in: where, name }: Parameter, place: ApiKeyPlace): boolean {
  if (place.in !== where) return false;
  return where === 'header' ? place.field.toLowerCase() === name.toLowerCase() : place.field === name;
}

/** A variable in the query string of the path key is a query parameter, however the document declares it. */
function inQuery(parameter: Parameter, name: string): Parameter {
  const { target } = parameter;
  if (target.in === 'query') return { ...parameter, target: { ...target, name } };
  return { ...parameter, in: 'query', target: { in: 'query', name, style: 'form', explode: false } };
}

const STRING: Node = Object.freeze({ type: 'string', minLength: 1 });

/** Variables of the path key without a parameter become required strings. */
function undeclaredVariables(
  template: PathTemplate,
  sendable: readonly Parameter[],
  { info, place, pointer }: DocumentOperation,
  { label, warnings }: RequestContext,
): Parameter[] {
  const additions: Parameter[] = [];
  const add = (variable: string, target: Extract<Target, { in: 'path' | 'query' | 'header' | 'cookie' }>) => {
    const { in: where, name } = target;
    if (sendable.some(({ target: other }) => other.in === where && other.name === name)) return;
    const schema = { document: place.document, pointer, value: STRING };
    additions.push({ in: where, name: variable, required: true, target, schema, object: {} });
  };
  for (const name of template.variables) add(name, { in: 'path', name, style: 'simple', explode: false });
  for (const [variable, name] of template.queryVariables)
    add(variable, { in: 'query', name, style: 'form', explode: false });
  if (additions.length > 0) {
    const names = additions.map(({ name }) => `{${name}}`).join(', ');
    warnings.push(`${label}: ${info.method} ${info.path}: ${names} is not declared; it is taken as a string`);
  }
  return additions;
}
