// Flags that several commands share, described once.
import { type Command, Option } from 'commander';

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

export const domainsOption = () =>
  new Option(
    '--domains <path>',
    'folder of domain files, a domain file or an OpenAPI document; may be repeated',
  ).argParser(collect);
export const baseUrlOption = () =>
  new Option('--base-url <url>', 'where the API is, instead of what the document says');
export const headerOption = () =>
  new Option(
    '--header <header>',
    "sent with every request, e.g. 'Authorization: Bearer ${TOKEN}'; may be repeated",
  ).argParser(collect);
export const envFileOption = () =>
  new Option('--env-file <file>', 'read variables from a file; may be repeated').argParser(collect);
export const exposureOption = () =>
  new Option('--exposure <mode>', 'how operations become tools: tools, grouped, search or auto (default: auto)');
export const tokenBudgetOption = () =>
  new Option('--token-budget <tokens>', 'what tools/list may cost before auto takes a smaller mode (default: 10000)');
export const jsonOption = () => new Option('--json', 'print JSON for scripts');
export const allowedHostOption = () =>
  new Option('--allowed-host <name>', 'Host header to accept besides localhost; may be repeated').argParser(collect);
export const allowedOriginOption = () =>
  new Option(
    '--allowed-origin <origin>',
    'web origin that may call, e.g. https://app.example; may be repeated',
  ).argParser(collect);

/** The options that say what to load. */
export function withSourceOptions(command: Command): Command {
  return command
    .addOption(domainsOption())
    .addOption(baseUrlOption())
    .addOption(headerOption())
    .addOption(envFileOption());
}
