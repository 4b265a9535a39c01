// Variables with our prefix that are not settings. If LANDBRIDGE_REDONLY=true were ignored, a gateway that is meant to be
// read-only would write.
import { DOCUMENT_PREFIX, type Environment } from '../endpoint/environment.ts';
import { askFor, closest } from '../endpoint/suggest.ts';
import { usageError } from '../errors.ts';
import { SETTING_VARIABLES } from './setting-table.ts';

const PREFIX = 'LANDBRIDGE_';

/** Variables that Kubernetes sets in every container for a Service whose name begins with ours, and Docker for its links. */
const SERVICE_LINK =
  /^LANDBRIDGE(?:_[A-Z0-9_]+)?_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\/\S+$/;

/** Variables that are set, have our prefix, and are not settings. `others` are names that headers or landbridge.yaml use. */
export function listUnknownVariables(env: Environment, others: ReadonlySet<string>): readonly string[] {
  return Object.keys(env).filter((name) => {
    if (!name.startsWith(PREFIX) || name.startsWith(DOCUMENT_PREFIX) || !env[name]) return false;
    if (SETTING_VARIABLES.includes(name) || others.has(name) || SERVICE_LINK.test(name)) return false;
    return !(name.endsWith('_PORT') && SERVICE_ADDRESS.test(env[name]));
  });
}

/** Stops the start. `uses`: variables of domain files. If they were not loaded, only near misspellings are refused. */
export function refuseUnknownVariables(names: readonly string[], uses?: ReadonlySet<string>): void {
  const offenders = names.filter((name) => (uses === undefined ? nearest(name) !== undefined : !uses.has(name)));
  if (offenders.length === 0) return;
  const sentences = offenders.map((name) => {
    const near = nearest(name);
    const advice = near === undefined ? 'unset it.' : askFor(near);
    return `${name} is set, but there is no setting with that name: ${advice}`;
  });
  const also = offenders.every((name) => nearest(name) !== undefined)
    ? ''
    : ` The variables of Landbridge are ${SETTING_VARIABLES.join(', ')}. Credentials of documents begin with ${DOCUMENT_PREFIX}. Domain files name their own variables.`;
  throw usageError(`${sentences.join('\n')}${also}`);
}

/** People expect the prefix for PORT, HOST and LOG_LEVEL as well. */
function nearest(name: string): string | undefined {
  const bare = name.slice(PREFIX.length);
  if (SETTING_VARIABLES.includes(bare)) return bare;
  const near = closest(
    bare,
    SETTING_VARIABLES.map((one) => one.replace(PREFIX, '')),
  );
  if (near === undefined) return undefined;
  return SETTING_VARIABLES.includes(near) ? near : `${PREFIX}${near}`;
}
