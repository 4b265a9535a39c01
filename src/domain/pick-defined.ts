// Optional fields are left out, not set to undefined (exactOptionalPropertyTypes).

export function pickDefined<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
