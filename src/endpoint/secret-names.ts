// Which fields hold a secret, by their name.

const SECRETS = /pass|pwd|secret|token|api_?key|private_?key|credential|^pin$|^otp$|^key$/;

/** Whether a field of this name holds a secret. */
export function isSecretField(field: string): boolean {
  return SECRETS.test(snakeWords(field));
}

/** `userName` and `user-name` → `user_name`. */
export function snakeWords(field: string): string {
  return field
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
