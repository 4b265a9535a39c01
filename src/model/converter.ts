// Conversion in both directions, one or many, for every primitive. A converter writes the two single conversions;
// the batches, which leave out what has no counterpart, are the same for all.

export abstract class ConverterBase<Source, Target> {
  /** The target for this source, or null when it has none. */
  abstract convertFrom(source: Source): Target | null;

  /** The source for this target, or null when it has none. */
  abstract convertTo(target: Target): Source | null;

  convertFromBatch(sources: Iterable<Source | null | undefined>): Target[] {
    return convertAll(sources, (source) => this.convertFrom(source));
  }

  convertToBatch(targets: Iterable<Target | null | undefined>): Source[] {
    return convertAll(targets, (target) => this.convertTo(target));
  }
}

function convertAll<From, To>(items: Iterable<From | null | undefined>, convert: (item: From) => To | null): To[] {
  const converted: To[] = [];
  for (const item of items) {
    if (item === null || item === undefined) continue;
    const result = convert(item);
    if (result !== null) converted.push(result);
  }
  return converted;
}
