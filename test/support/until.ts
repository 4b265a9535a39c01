// Waiting for something another part of the system does, without asserting how long it takes.

/** Resolves when the condition holds; the test's own timeout is the only limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A promise with its ends in hand. */
export function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
