// Operations that are logins themselves: if one is refused, its arguments are wrong, not the gateway's credential.
import type { Endpoint } from '../../endpoint/model';
import { isSecretField } from './login-request';

/** Words of a path or name under which tokens are handed out. */
const LOGIN =
  /(?:^|[/_.-])(?:log_?-?in|sign_?-?in|auth|authenticate|authentication|authori[sz]e|oauth2?|tokens?|access_?-?tokens?|sessions?|otp|mfa|verify)(?:$|[/_.-])/i;

/** The arguments that carry the secrets of a login; none where the operation is no login. */
export function loginSecrets({ args, path, action, method }: Endpoint): string[] {
  if (!LOGIN.test(path) && !LOGIN.test(action)) return [];
  const secrets = args.filter(({ key, to }) => isSecretField(key) && to.every(({ in: where }) => where !== 'path'));
  return method === 'DELETE' ? [] : secrets.map(({ key }) => key);
}
