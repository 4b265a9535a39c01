// Media types as headers and documents write them.

/** Without parameters, lower case. */
export function toEssence(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}

/** JSON itself and every type built on it (RFC 6839), in lower case and without parameters. */
export function isJsonEssence(essence: string): boolean {
  return essence.endsWith('/json') || essence.endsWith('+json');
}
