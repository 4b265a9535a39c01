// What people read in docs/errors.md beside each message: its cause and its fix. The messages themselves are read out of src/, so
// that the page shows them as they are; `match` finds those that have the same cause and the same fix. A missing code does not
// compile; test/documentation/errors.test.ts finds messages without a family, and families without a message.
import type { ErrorCode } from '../src/errors.ts';

export interface Family {
  /** Messages of this code that belong here, unless an earlier family has them. */
  readonly match?: RegExp;
  /** A message that the source puts together from too many parts to be read out of it. */
  readonly see?: string;
  readonly cause: string;
  readonly fix: string;
}

interface Failures {
  /** What they have in common, in one sentence. */
  readonly what: string;
  readonly families: readonly [Family, ...Family[]];
}

/** Every message of a code. */
const ANY = /./s;

/** `HTTP`: answers of the HTTP server before an MCP message is read. */
export const ERROR_FAMILIES: Readonly<Record<ErrorCode | 'HTTP', Failures>> = {
  VALIDATION: {
    what: 'The arguments do not fit the tool.',
    families: [
      {
        match: /must stand inside|^Invalid arguments for|inside `arguments`/,
        see: 'Invalid arguments for …; nothing was sent. Fix and call again:\n1. …\nRequired: {…}',
        cause: 'An argument is missing, has the wrong type or value, has an unknown name, or is in the wrong place.',
        fix: 'Correct the arguments that the numbered lines name, and call again. `landbridge explain <tool>` shows the arguments. If the API accepts what its document forbids, set [lenient](domain-files.md#arguments) for the operation.',
      },
      {
        match: /is required\. Available|Unknown …; … Available|Several tools have an action|There is no operation/,
        cause:
          'In grouped or search exposure, the model named an action or operation that does not exist, or named none.',
        fix: 'Call again with one of the names in the message. `search_operations` and `describe_operation` find the others.',
      },
      {
        match: /the schema of its arguments is broken/,
        cause: 'The schema in the OpenAPI document or domain file is not a valid JSON Schema.',
        fix: 'Correct the schema, or replace the argument in the domain file. `landbridge doctor` names the place. Then restart the gateway.',
      },
      {
        match: /the header … of the request/,
        cause: 'The domain file forwards a header of the caller (`forward`), and its value cannot be sent.',
        fix: 'Send a shorter value in printable ASCII, without line breaks and without spaces at its ends.',
      },
      {
        match: /^…: `…` …\. Nothing was sent|^`…` …\. Nothing was sent/,
        see: '…: `…` goes into a header and may hold printable ASCII characters only: no line breaks, no accents. Nothing was sent.',
        cause: 'The value of an argument cannot be sent in that place of the request: a path, header, cookie or file.',
        fix: 'Pass another value, as the message says.',
      },
    ],
  },
  NOT_CONFIRMED: {
    what: 'The call needs a confirmation and has none. Nothing was sent.',
    families: [
      {
        match: /repeat the same call with/,
        cause:
          'The operation is destructive or guarded, and the client cannot ask the user, or you chose `confirm: token`.',
        fix: 'Ask the user. If they agree, repeat the same call with the token from the message. A token is good for one call with exactly these arguments.',
      },
      {
        match: /dismissed|declined/,
        cause: 'The user was asked and did not agree.',
        fix: 'Do not repeat the call, unless the user asks for it.',
      },
      {
        match: /confirm: ask|declares no elicitation/,
        cause:
          'The setting `confirm: ask` accepts only the answer of the user, and the client does not support elicitation.',
        fix: 'Use a client that supports elicitation, or set [confirm](settings.md#guard-calls) to `either` or `token`.',
      },
      {
        match: /could not be checked|shared state|cannot be asked/,
        cause: 'The Redis or Valkey server in `state` cannot be reached. It keeps the confirmations that were used.',
        fix: 'Try again in a minute. If it lasts, check the server that [state](settings.md#run-several-processes-or-replicas) names.',
      },
      {
        match: /Call … again without it/,
        see: 'The … has expired. Nothing was sent. Call … again without it to get a new one, and ask the user.',
        cause:
          'The token has expired, was used before, or was made for another tool, other arguments or another caller.',
        fix: 'Call again without the token. The refusal has a new one.',
      },
      {
        match: /arguments were changed/,
        cause: 'Middleware changed the arguments after the user had confirmed them.',
        fix: 'Change the middleware: it must change arguments before it calls `next()`, not after a confirmation.',
      },
      {
        match: ANY,
        cause: 'The question did not reach the user, or no answer came back.',
        fix: 'Ask the user, then call again. Check that the client is still connected and supports elicitation.',
      },
    ],
  },
  DENIED: {
    what: 'The guard refuses the call. Nothing was sent.',
    families: [
      {
        match: ANY,
        cause:
          'A setting refuses calls with this effect: `readOnly`, `guard: deny`, a profile or the domain file. The message names it.',
        fix: 'Tell the user. To allow the call, change that [setting](settings.md#guard-calls) or the `guard` in the [domain file](domain-files.md#guard-and-effect), and restart.',
      },
    ],
  },
  MISSING_CREDENTIAL: {
    what: 'The gateway cannot prove to the API who it is, or who calls.',
    families: [
      {
        match: /that is not configured/,
        cause: 'The environment variable or file with the secret is not set.',
        fix: 'Set the variable that the message names where the gateway runs, and restart it.',
      },
      {
        match: /no header can carry|carries/,
        cause:
          'The value has a line break or another character that is not allowed in a header. Often it is a line break at the end.',
        fix: 'Correct the variable and restart the gateway.',
      },
      {
        match: /assertion/,
        cause:
          'The domain signs assertions about callers, and no key is set, or the assertion is too long for a header.',
        fix: 'Set [assertions.keys](settings.md#tell-apis-who-calls), or choose fewer `claims` in the domain file. Then restart.',
      },
      {
        match: /was not called/,
        cause:
          'The API is called in the name of the caller. The caller sent no access token, or an expired one, or one without a value that the domain file needs.',
        fix: 'Call over HTTP with a fresh access token of a server in `auth.oauth`. For a missing value, write a default in the domain file: `\u0024{principal.sub:-none}`.',
      },
      {
        match: /must be an https URL|sent nowhere else/,
        cause: 'The domain file would send a secret to an address that is not encrypted, or to another API.',
        fix: 'Use an https URL, or give the operation a credential of its own (`security`).',
      },
      {
        match: /\(…\)\. The call was not made|^…: … … \(……\)/,
        see: '… … (…). The call was not made. … Changing the arguments does not help.',
        cause: 'The server that issues tokens refuses the secrets of the gateway.',
        fix: 'Check the variables that the message names, and the account at that server. Then restart the gateway.',
      },
    ],
  },
  TIMEOUT: {
    what: 'No answer came in time.',
    families: [
      {
        match: ANY,
        cause: 'The API, or the server that issues its token, needs longer than `timeoutMs`, or it is down.',
        fix: 'For a write, check first whether it took effect. Then ask for less, or raise [timeoutMs](domain-files.md#limits-and-time).',
      },
    ],
  },
  UNREACHABLE: {
    what: 'The API cannot be reached. Changing the arguments does not help.',
    families: [
      {
        match: /no base URL|absolute http/,
        cause: 'The gateway does not have a usable base URL for the API.',
        fix: 'Set `--base-url https://…` or [baseUrl](domain-files.md#the-api) in the domain file, and restart.',
      },
      {
        match: /private address/,
        cause:
          'A document from the internet names an API with a private address. The gateway does not call it unasked.',
        fix: 'If the address is right, start the gateway with `--base-url <address>`.',
      },
      {
        match: /shutting down/i,
        cause: 'The gateway is shutting down.',
        fix: 'Call again in a few seconds.',
      },
      {
        match: /access token|could not issue/,
        cause: 'The server that issues tokens for this API is down or answers with an error.',
        fix: 'Try again later. If it lasts, check `tokenUrl` or the login in the domain file.',
      },
      {
        match: /cannot be written as HTTP/,
        cause: 'An argument, header or path cannot be sent over HTTP.',
        fix: 'Check the arguments first, then the path and headers in the domain file.',
      },
      {
        match: /closed the connection/,
        cause: 'The API closed the connection before it answered. It may have crashed or restarted.',
        fix: 'Repeat a read. For a write, check first whether it took effect.',
      },
      {
        match: ANY,
        cause:
          'Nothing listens at the address, or its host name cannot be resolved, or its certificate is not trusted. Or a firewall or proxy blocks the way.',
        fix: 'On the machine of the gateway, check what the message lists: the API, the base URL, the proxy, the certificate ([tls](domain-files.md#tls)). `landbridge doctor --online` tries every base URL.',
      },
    ],
  },
  UPSTREAM_ERROR: {
    what: 'The API answered with an error status.',
    families: [
      {
        match: ANY,
        cause:
          'The API refused or failed the request. The message has its status, what it says, and advice for that status.',
        fix: 'Follow the advice in the message. 401 and 403: check the credential in the domain file. 404: check the arguments, then the base URL. 5xx: try again later.',
      },
    ],
  },
  BAD_RESPONSE: {
    what: 'The API gave an answer that cannot be used.',
    families: [
      {
        match: /took longer than|failed, and it was dropped|reading the API/,
        cause: 'The answer is so large or so unusual that reading it took too long or failed.',
        fix: 'Ask for less: fewer items per page, or a narrower filter.',
      },
      {
        match: /nested too deeply|does not parse/,
        cause: 'The API says that its answer is JSON, but it is not, or it is nested too deeply.',
        fix: 'Tell the people who run the API. If the answer is text, set `response.accept` in the domain file.',
      },
      {
        match: /token/,
        cause: 'The server that issues tokens gave an answer without a usable token.',
        fix: 'Check `tokenUrl`, or the login and its `token` field, in the [credentials](domain-files.md#credentials) of the domain file.',
      },
      {
        match: /login/,
        cause: 'The answer to the login has no usable token.',
        fix: 'Check the address of the [login](domain-files.md#login) and its fields `token` and `send`.',
      },
      {
        match: ANY,
        cause: 'The API, or a proxy in front of it, does not follow HTTP, or broke off its answer.',
        fix: 'Check scheme and port of the base URL. Repeat a read. For a write, check first whether it took effect.',
      },
    ],
  },
  TOO_LARGE: {
    what: 'The answer is larger than the gateway reads.',
    families: [
      {
        match: ANY,
        cause: 'The answer has more bytes than `maxResponseBytes` (10485760 unless you set it).',
        fix: 'Ask for less: fewer items per page, or a narrower filter. `landbridge call … --output <file>` saves a file. Or raise [maxResponseBytes](domain-files.md#limits-and-time).',
      },
    ],
  },
  REDIRECT_BLOCKED: {
    what: 'The API redirects, and the gateway does not follow.',
    families: [
      {
        match: /login|token URL/,
        cause:
          'The address of the login or token endpoint has moved. The gateway does not follow, so that it does not send secrets to an unknown address.',
        fix: 'If the new address is right, write it into `url` or `tokenUrl` of the credential in the domain file.',
      },
      {
        match: ANY,
        cause:
          'The redirect leads to another origin or out of the base URL, or it would repeat a write. Or there are too many redirects.',
        fix: 'If the new address is right, set the [base URL](domain-files.md#the-api) or the path to it. After a 303, look first whether the call took effect.',
      },
    ],
  },
  RATE_LIMITED: {
    what: 'There are too many calls at the moment.',
    families: [
      {
        match: /no more logins/,
        cause: 'The server that issues tokens limits logins (status 429).',
        fix: 'Wait as long as the message says, then call again.',
      },
      {
        match: /large answers/,
        cause: 'Several large answers arrive at the same time.',
        fix: 'Make fewer calls at a time, and ask for less.',
      },
      {
        match: /questions are open/,
        cause: 'The client has too many questions that the user has not answered.',
        fix: 'Let the user answer some of them, then call again.',
      },
      {
        match: /the API answered/,
        cause: 'The API limits calls (status 429).',
        fix: 'Wait as long as the message says. To stay below the limit of the API, set [limits](domain-files.md#limits-and-time) in the domain file.',
      },
      {
        match: ANY,
        cause:
          'The caller or the API has reached a limit of the gateway, or the gateway is overloaded. The message names which.',
        fix: 'Wait as long as the message says, then repeat the same call. Operators: `landbridge tools --limits` prints the limits, [settings](settings.md#limit-calls) change them.',
      },
    ],
  },
  CANCELLED: {
    what: 'The client cancelled the call, or closed the connection.',
    families: [
      {
        match: ANY,
        cause: 'The client sent a cancellation or went away. A request that was already sent may have taken effect.',
        fix: 'For a write, check whether it took effect before you repeat it. If clients give up too early, raise their timeout.',
      },
    ],
  },
  NOT_RECORDED: {
    what: 'The audit trail cannot be written, so the gateway refuses calls.',
    families: [
      {
        match: ANY,
        cause: 'The audit file cannot be written, often because the disk is full, and `audit.onError` is `refuse`.',
        fix: 'Make space on the disk or repair its permissions; calls work again without a restart. [operate.md](operate.md) has the steps.',
      },
    ],
  },
  SHUTTING_DOWN: {
    what: 'The gateway is shutting down.',
    families: [
      {
        match: ANY,
        cause:
          'The gateway got a signal to stop, and the call did not finish within [graceSeconds](settings.md#shut-down).',
        fix: 'Call again in a few seconds. If the message says that the request may have taken effect, check that first.',
      },
    ],
  },
  HANDLER_FAILED: {
    what: 'Code that belongs to this deployment failed: a tool, a check or middleware.',
    families: [
      {
        match: ANY,
        cause:
          'A tool written in code, a check in a TypeScript domain file, or middleware threw an error or returned something unusable.',
        fix: 'Read the log of the gateway: it has the stack. Repair the code and restart.',
      },
    ],
  },

  BAD_CONFIG: {
    what: 'A flag, a variable or the settings file is wrong. The program ends with exit code 2 for the command line and variables, otherwise with 1.',
    families: [
      {
        see: 'landbridge.yaml:3:1 prot: "prot" is not known here; did you mean "port"?',
        cause: 'A field in `landbridge.yaml`, `profiles.yaml` or a file of keys has a wrong name or value.',
        fix: 'Correct the field at that line and column. [settings.md](settings.md) and [profiles.md](profiles.md) list all fields.',
      },
      {
        match: /^… \(or …\) …\.|^…\.$|--base-url …|--otlp-endpoint …|^--….$|trustedProxies|allowedHosts|OTEL_EXPORTER/,
        see: '--port (or PORT) must be a number from 0 to 65535.',
        cause: 'The value of a flag or environment variable is not allowed.',
        fix: 'Correct the value as the message says. [settings.md](settings.md) has the type of every setting.',
      },
      {
        match: /LANDBRIDGE_CONFIG|[Vv]ariables of (?:this program|Landbridge)/,
        see: 'LANDBRIDGE_PROT is set, … did you mean "PORT"?',
        cause: 'An environment variable begins with `LANDBRIDGE_`, but there is no setting for it.',
        fix: 'Correct its name or unset it. [All variables](settings.md#environment-variables).',
      },
      {
        match: /landbridge\.yml/,
        cause: 'The settings file has the wrong ending.',
        fix: 'Rename the file to `landbridge.yaml`, or name it with `--config`.',
      },
      {
        match: /Cannot read the variables/,
        cause: 'A file in `--dotenv` or `envFiles` does not exist or cannot be read.',
        fix: 'Correct the path. It is relative to the folder you run in, or to the settings file.',
      },
      {
        match: /Refusing to listen|LANDBRIDGE_API_KEYS|same API key|is set.* no key/,
        cause:
          'The gateway would listen for other machines without authentication, or the list of keys is empty or has a key twice.',
        fix: 'Make a key with `landbridge key new <name>` and add it to [auth.keys](settings.md#decide-who-may-call). Or listen on 127.0.0.1.',
      },
      {
        match: /admin/i,
        cause: 'The admin listener has no port, or other machines could reach it without a token.',
        fix: 'Set `admin.port`, and `admin.token` for other machines: [settings](settings.md#measure-metrics-and-readiness).',
      },
      {
        match: /^TLS needs|^tls/,
        cause: 'A TLS file is missing or unreadable, or certificate, key and client CA do not fit together.',
        fix: 'Name a certificate and its own private key, both in PEM format: [settings](settings.md#encrypt-connections-tls).',
      },
      {
        match: /assertions/,
        cause: 'A domain signs assertions about callers, and key or issuer is missing or wrong.',
        fix: 'Set [assertions.keys](settings.md#tell-apis-who-calls). `openssl genpkey -algorithm ed25519 -out key.pem` makes a key. Set `publicUrl` or `assertions.issuer`.',
      },
      {
        match: /^state /,
        see: 'state (--state, LANDBRIDGE_STATE) must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379.',
        cause: 'The address of the Redis or Valkey server is not usable.',
        fix: 'Correct [state](settings.md#run-several-processes-or-replicas). Write `%` in user or password as `%25`.',
      },
      {
        match: /secret that signs/,
        cause: 'The secret is too short.',
        fix: 'Use at least 32 characters, for example from `openssl rand -hex 32`.',
      },
      {
        match: /--no-http|--stdio|can be read (?:only )?once|stdio is one/,
        cause: 'The flags exclude each other, or nothing is left to listen on.',
        fix: 'Leave out one of the flags that the message names, or give the document as a file or URL instead of `-`.',
      },
      {
        match: /^Cannot read …: …/,
        cause: 'A file that `landbridge install` or `landbridge audit` needs cannot be read.',
        fix: 'Correct the path and the permissions.',
      },
      {
        match: /audit|signing key|writes the|Cannot read the key|No key to check|PEM, Ed25519|--head|^Which file/i,
        cause:
          'The audit file or one of its keys is missing or unreadable, has the wrong form, or another process writes it.',
        fix: 'Correct path and permissions. Give each process a file of its own with `%h` and `%p` in `audit.file`. [audit.md](audit.md) explains keys and checks.',
      },
      {
        match: /profile "…"/,
        cause: 'The profile is not declared.',
        fix: 'Declare it in `profiles.yaml` or `landbridge.yaml`, or name one that exists. See [profiles.md](profiles.md).',
      },
      {
        match: /base URL …|there is no server|--header|^The header/,
        cause: 'A base URL, server or header for an API cannot be used.',
        fix: 'Write the URL like `https://api.example.com/v1` and the header like `Name: value`. Set the variables in them.',
      },
      {
        match: /There is no tool|was left out of|[Ww]hich tool|No tool is named|Several words/,
        cause: 'The command line does not name exactly one tool that exists.',
        fix: '`landbridge tools --exposure tools` lists the names. Write arguments as `key=value` and files as `./file`.',
      },
      {
        match: /--args|is not an argument|is given twice|valid JSON|cannot read "…"/,
        cause: 'An argument of `landbridge call` cannot be read.',
        fix: 'Write `key=value`, a file as `key=@path`, or all arguments as JSON with `--args`.',
      },
      {
        match: /--output|to write to …|the call itself was made/,
        cause: 'The answer cannot be saved to a file.',
        fix: 'Choose another path. Use `--output` without `--url`. The call itself may have been made: check before you repeat a write.',
      },
      {
        match: /Name the document|importedFrom|to update|already exist|domain files say|has no letter|prefix …/,
        cause: '`landbridge import` needs a document, a name or a decision.',
        fix: 'Name the document. Use `--update` for a new version, `--name` for a second copy, `--force` to overwrite. See [landbridge import](cli.md#landbridge-import).',
      },
      {
        match:
          /no client "…"|--scope|Codex|name of a server|in its (?:own )?settings|--with-values|document (?:in|on stdin)|JSON object, so|its client|by hand/,
        cause: '`landbridge install` cannot write the configuration of the client.',
        fix: 'Do what the message says: choose another name or scope, set a variable for a secret, or edit the file by hand. See [landbridge install](cli.md#landbridge-install).',
      },
      {
        match: /^A proxy at …/,
        cause:
          'A proxy in front of the gateway answers, but the gateway behind it does not: it is down, restarting, or too slow.',
        fix: 'Start the gateway, and read its log. If it runs, check the address and the timeouts in the configuration of the proxy.',
      },
      {
        match: /https:\/\/\?/,
        cause: 'The port speaks TLS, but the URL begins with `http://`.',
        fix: 'Write `https://` in the URL.',
      },
      {
        match: /NODE_EXTRA_CA_CERTS/,
        cause: 'The gateway shows a certificate whose authority this machine does not trust.',
        fix: 'Set `NODE_EXTRA_CA_CERTS` to a file with the certificate of that authority. For certificates of APIs, use `tls.ca` in the domain file.',
      },
      {
        match:
          /Cannot reach|--url|MCP server|MCP message|as a gateway|cannot be asked|HTTP port|refused the request|too long to be read|who calls|redirects to|goes with files|^… \(…\): …/,
        cause: 'A command with `--url`, or `landbridge health`, gets no usable answer from the running gateway.',
        fix: 'Check that the gateway runs, its address and port, and that the URL ends in `/mcp` or `/mcp/<profile>`. If it needs a key, add `--header "Authorization: Bearer $TOKEN"`.',
      },
      {
        match: /key new|key …|--expires|key on stdin|too long for a key|The name …|This key …|key hash/,
        cause: '`landbridge key` got a wrong action, name, date or key.',
        fix: 'Make a key with `landbridge key new <name>`. See [landbridge key](cli.md#landbridge-key).',
      },
      {
        match: /no schema "…"|"landbridge audit …"|rules for the client/,
        cause: 'A word on the command line is unknown.',
        fix: 'Use one of the words in the message. `landbridge <command> --help` lists them.',
      },
      {
        match:
          /^Two |already registered|cannot be (?:a tool|an argument) name|(?:is no|is not a valid) tool name|needs a description|schema of type object|tool definitions|Definitions and handlers|[Bb]uilder|commonSchema|cannot have a field|zod 4 object|must not contain dots|name must not be empty|attachToServer/,
        cause: 'Your own code defines a tool, prompt or resource that cannot be used, or uses a name twice.',
        fix: 'Correct the definition as the message says.',
      },
    ],
  },
  BAD_DOMAIN: {
    what: 'A domain file is wrong, or cannot be read. The program ends with exit code 1.',
    families: [
      {
        see: 'domains/shop.yaml:5:10 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (apiKey, bearer, basic, …)',
        cause: 'A field has a wrong name or value, or does not fit the imported document.',
        fix: 'Correct the field at that line and column. [domain-files.md](domain-files.md) lists all fields. An [editor with the schema](domain-files.md#in-an-editor) shows such errors while you write.',
      },
      {
        match: /Nothing to serve|no domain files|more than … files|more than 1000 files/,
        cause: 'There is nothing to load, or the folder is not a folder of domain files.',
        fix: 'Name a domain file, an OpenAPI document or a folder: [domains](settings.md#load-apis).',
      },
      {
        match: /cannot be read|is a folder|may not be read|no such file/,
        cause: 'The path does not lead to a file or folder that the gateway can read.',
        fix: 'Correct the path or the permissions.',
      },
      {
        match: /document|openapi|importedFrom|headers|nothing to update/,
        cause:
          '`landbridge import --update` does not find the document of this domain file, or cannot use its headers.',
        fix: 'Write `importedFrom` with the address of the document, and set the variables in `headers`.',
      },
      {
        match: /run doctor again/,
        cause: 'The file changed while `landbridge doctor --fix` was running.',
        fix: 'Run the command again.',
      },
    ],
  },
  BAD_DOCUMENT: {
    what: 'An OpenAPI document cannot be used. The program ends with exit code 1.',
    families: [
      {
        match: /answered …, and|is a page|is no OpenAPI document, and/,
        cause: 'The address is a web page, and no OpenAPI document was found near it.',
        fix: 'Find the address of the JSON or YAML document itself, often on the page of the API documentation.',
      },
      {
        match: /credentials/,
        cause: 'The document needs a login.',
        fix: "Pass `--header 'Authorization: Bearer \u0024{TOKEN}'`, or write `headers` in the domain file. Or download the document and give the file.",
      },
      {
        match: /redirect/,
        cause: 'The address of the document redirects to another origin, too often, or to something that is not a URL.',
        fix: 'If you trust the new address, give that one.',
      },
      {
        match: /cannot be fetched|did not arrive|answered|interim|is not a URL/,
        cause: 'The document cannot be downloaded.',
        fix: 'Check the address and your network, or download the document and give the file.',
      },
      {
        match: /does not exist|cannot be read \(|is a folder|not a (?:valid )?source/,
        cause: 'The path does not lead to a document.',
        fix: 'Give the path of a file, an http(s) URL, or `-` for standard input.',
      },
      {
        match: /target|overlay|Overlay|actions|copy from|remove the whole/,
        cause: 'An Overlay document is wrong, or does not fit the OpenAPI document.',
        fix: 'Correct the Overlay. It begins with `overlay: 1.0.0` and has a list of actions, each with a `target`.',
      },
      {
        match: /is not an OpenAPI document|HTML or XML|is empty|says version/,
        cause: 'The file is something else: a web page, an older version, a collection of another tool.',
        fix: 'Convert it to OpenAPI 3, or export it as OpenAPI. Landbridge reads Swagger 2.0 and OpenAPI 3.x.',
      },
      {
        match: /JSON|YAML/,
        cause: 'The document has a syntax error.',
        fix: 'Correct it at the line and column in the message. If the file ends in the middle, download it again.',
      },
      {
        match: /operations; at most/,
        cause: 'The document has more operations than the gateway reads.',
        fix: 'Keep only some of them with [include](domain-files.md#operations-you-keep).',
      },
      {
        match: /(?:part|file) (?:that|which) would|could not be read/,
        cause: 'The document consists of several files, and `landbridge import` cannot store one of them in its place.',
        fix: 'Import it under another `--name`, move the file that is in the way, or use `--force`.',
      },
      {
        match: /levels deep|alias|anchor|raise the limit/,
        cause: 'The document exceeds a limit that protects the gateway.',
        fix: 'Check that it is the right document. Split it, or remove parts with an Overlay.',
      },
    ],
  },
  CANNOT_LISTEN: {
    what: 'The gateway cannot open its port. The program ends with exit code 1.',
    families: [
      {
        match: /in use/,
        cause: 'Another program, perhaps another gateway, uses the port.',
        fix: 'Stop that program, or choose another port with `--port`. `--port 0` picks a free one.',
      },
      {
        match: /worker/,
        cause: 'The first worker process ended before it listened. Its own error is above this line.',
        fix: 'Correct that error. `--workers 1` shows it in one process.',
      },
      {
        match: ANY,
        cause: 'The address or port in `host`, `port`, `tcp` or `admin` cannot be used.',
        fix: 'Use an address of this machine, such as 127.0.0.1, and a port above 1023.',
      },
    ],
  },

  HTTP: {
    what: 'The HTTP server answers before it reads an MCP message. The number is the HTTP status.',
    families: [
      {
        match: /^40[13] .*(?:web page|admin\.)/,
        cause: 'The request to the admin listener has no token, comes from a web page, or uses an unknown host name.',
        fix: 'Send `Authorization: Bearer <admin.token>`, or add the host name to `admin.allowedHosts`.',
      },
      {
        match: /certificate/,
        cause:
          'The client certificate is not signed by `tls.clientCa`, has expired, has no name, or matches no entry of `auth.certificates`.',
        fix: 'Connect with a valid certificate, or add an entry to [auth.certificates](settings.md#certificate).',
      },
      {
        match: /authorization server/,
        cause: 'The authorization server cannot be reached, so the gateway cannot check the token.',
        fix: 'Try again. If it lasts, check that the gateway can reach the server in `auth.oauth`.',
      },
      {
        match: /^403 .*scope/,
        cause: 'The access token lacks a scope that the profile needs.',
        fix: 'Get a token with the scopes in the message. Operators: see `profiles` of the [issuer](settings.md#issuer).',
      },
      {
        match: /who calls|identified/,
        cause: 'The gateway could not find out who calls.',
        fix: 'Try again. If it lasts, read the log of the gateway.',
      },
      {
        match: /^40[01] .*(?:key|token|Authorization: Bearer|Unauthorized)/,
        cause:
          'The request has no key or token, or several, or one in the URL. Or the key or token is unknown, has expired, or was issued for another audience.',
        fix: 'Send one valid key or token as `Authorization: Bearer <token>`. For a wrong audience, request the token for [publicUrl](settings.md#run-behind-a-proxy) with `/mcp`. The log of the gateway has the reason.',
      },
      {
        match: /^403 .*Host/,
        cause: 'The Host header is not one that the gateway accepts. This protects against DNS rebinding.',
        fix: 'Set [publicUrl](settings.md#run-behind-a-proxy), or add the name to `allowedHosts`.',
      },
      {
        match: /^403 .*Origin/,
        cause: 'A web page of another origin calls the gateway.',
        fix: 'If the page may call, add its origin to [allowedOrigins](settings.md#run-behind-a-proxy).',
      },
      {
        see: '404 There is nothing at …. MCP is served at POST /mcp.',
        match: /^404/,
        cause: 'The path is wrong, the profile does not exist, or the caller may not use it.',
        fix: 'Use a path from the message. Behind a proxy that does not strip a prefix, set `basePath`.',
      },
      {
        see: '405 Method not allowed: send MCP messages with POST. There is no session to open or delete.',
        cause: 'The client sent GET or DELETE to `/mcp`.',
        fix: 'Nothing to do: clients of older protocol versions try this once and go on with POST.',
      },
      {
        see: '413 The body is larger than … bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.',
        match: /^413/,
        cause: 'The message is larger than `maxBodyBytes`.',
        fix: 'Send less, or raise [maxBodyBytes](settings.md#limit-connections-and-messages).',
      },
      {
        match: /^415/,
        cause: 'The request is not plain JSON.',
        fix: 'Send `Content-Type: application/json` and an uncompressed body.',
      },
      {
        match: /^4(?:00|17|31) /,
        cause: 'The request is not correct HTTP, or a proxy in front changed it.',
        fix: 'Correct the client or the proxy as the message says.',
      },
      {
        match: /^503/,
        cause: 'The gateway is overloaded or shuts down, or one client has too many requests in progress.',
        fix: 'Try again after the seconds in `Retry-After`. Operators: see [operate.md](operate.md).',
      },
      {
        match: /^500/,
        cause: 'The gateway itself failed.',
        fix: 'Read the log of the gateway: it has the stack. Please report it.',
      },
    ],
  },

  PARSE_ERROR: {
    what: 'The message is not JSON.',
    families: [
      {
        match: ANY,
        cause:
          'The client sent broken JSON, a key twice, or JSON that is nested too deeply. Or the bytes are not UTF-8, or the line is too long.',
        fix: 'Correct the client. For stdio and TCP: send one message per line.',
      },
    ],
  },
  INVALID_REQUEST: {
    what: 'The message is JSON, but not a valid request of this protocol version.',
    families: [
      {
        match: /MCP-Protocol-Version/,
        cause: 'The client sends a protocol version that the gateway does not know.',
        fix: 'Update the client, or use a version from the message.',
      },
      {
        match: /stream|subscriptions/,
        cause: 'A subscription needs an event stream, or the client has too many of them.',
        fix: 'Send `Accept: application/json, text/event-stream`, and close subscriptions that you do not need.',
      },
      {
        match: ANY,
        see: 'Invalid request: a batch must hold at least one message.',
        cause: 'The message is not a JSON-RPC 2.0 request, or a batch that is not allowed.',
        fix: 'Correct the client as the message says.',
      },
    ],
  },
  METHOD_NOT_FOUND: {
    what: 'The method does not exist in this protocol version.',
    families: [
      {
        match: ANY,
        cause: 'The client calls a method that MCP or this gateway does not have.',
        fix: 'Correct the name of the method, or update the client.',
      },
    ],
  },
  INVALID_PARAMS: {
    what: 'The parameters of the request are wrong.',
    families: [
      {
        match: /requestState|inputResponses|confirmation must be/,
        cause: 'The answer to a question does not have the right form, or belongs to another call.',
        fix: 'Call again without `requestState`. The gateway asks again.',
      },
      {
        match: /cursor/,
        cause: 'The cursor is broken or from before a restart.',
        fix: 'Start again without a cursor and follow `nextCursor`.',
      },
      {
        match: /no prompt|for the prompt|resource template/,
        cause: 'The prompt or resource template does not exist, or its arguments are wrong.',
        fix: '`prompts/list` and `resources/templates/list` show what there is. Fill in the arguments that the message names.',
      },
      {
        match: ANY,
        cause: 'A parameter has the wrong type.',
        fix: 'Correct the client as the message says.',
      },
    ],
  },
  INVALID_ENVELOPE: {
    what: 'The `_meta` of a request of protocol version 2026-07-28 is missing or wrong.',
    families: [
      {
        match: ANY,
        cause: 'The client sends the new protocol version without the fields that it requires in `_meta`.',
        fix: 'Correct or update the client.',
      },
    ],
  },
  INTERNAL: {
    what: 'The gateway itself failed.',
    families: [
      {
        see: 'Internal error; the gateway’s log says more.',
        match: ANY,
        cause: 'A bug in the gateway, or a resource whose API call failed (then `failure_mode` is `upstream_error`).',
        fix: 'Read the log of the gateway: it has the stack. Please report it.',
      },
    ],
  },
  INSUFFICIENT_SCOPE: {
    what: 'The access token lacks a scope for this call. The `failure_mode` is `insufficient_scope`.',
    families: [
      {
        match: ANY,
        cause:
          'The issuer in `auth.oauth` has `scopes` and `stepUp`, and the token lacks a scope for the effect of this operation.',
        fix: 'Get a token with the scopes in the message; over HTTP, `WWW-Authenticate` has them too. Then call again.',
      },
    ],
  },
  UNKNOWN_TOOL: {
    what: 'There is no tool of this name. The `failure_mode` is `unknown_tool`.',
    families: [
      {
        match: ANY,
        cause: 'The name is misspelled, the tools changed after a restart, or this caller may not use the tool.',
        fix: 'Call `tools/list` again and use a name from it. `landbridge tools` prints the names.',
      },
    ],
  },
  RESOURCE_NOT_FOUND: {
    what: 'There is no resource with this URI.',
    families: [
      {
        match: ANY,
        cause: 'The URI is wrong, the API has no such item (404), or a prompt embeds a resource that does not exist.',
        fix: '`resources/list` and `resources/templates/list` show the resources. Correct the URI, or the prompt in the domain file.',
      },
    ],
  },
  SESSION_NOT_FOUND: {
    what: 'The session does not exist here.',
    families: [
      {
        match: ANY,
        cause:
          'The gateway was restarted without a fixed `secret`, or the session belongs to another caller or profile.',
        fix: 'Send `initialize` without `Mcp-Session-Id`; clients do this themselves. Set [secret](settings.md#run-several-processes-or-replicas) to keep sessions over restarts and replicas.',
      },
    ],
  },
  ANSWER_UNDELIVERED: {
    what: 'An answer to a question did not reach the process that asked.',
    families: [
      {
        match: ANY,
        cause: 'That process has ended, or the Redis or Valkey server in `state` cannot be reached.',
        fix: 'Send the same answer again in a few seconds. If the call has ended, make it again.',
      },
    ],
  },
  HEADER_MISMATCH: {
    what: 'A header and the message say different things.',
    families: [
      {
        match: ANY,
        cause: 'A header such as `Mcp-Method` or `MCP-Protocol-Version` does not fit the body.',
        fix: 'Correct the client, or the proxy that changes its headers.',
      },
    ],
  },
  MISSING_CLIENT_CAPABILITY: {
    what: 'The request needs a capability that the client does not declare.',
    families: [
      {
        cause: 'MCP reserves this error. This version of the gateway does not send it.',
        fix: 'Nothing to do.',
      },
    ],
  },
  UNSUPPORTED_PROTOCOL_VERSION: {
    what: 'The gateway does not have this protocol version.',
    families: [
      {
        match: ANY,
        cause: 'The client asks for a version of MCP that the gateway does not know.',
        fix: 'Use one of the versions in `data.supported`. Most clients do this themselves.',
      },
    ],
  },
};
