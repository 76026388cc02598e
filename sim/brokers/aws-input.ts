/** Returns what the SDK writes of a request: a field of null is left out, as if it were not there. */
export function writtenInput<Input extends object>(input: Input): Input {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(input);
  const written = fields
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        [name, Array.isArray(value) ? entriesOf(value).map(writtenEntry) : value] as const,
    );
  return Object.fromEntries(written) as Input;
}

/** An entry of null is left out as well. */
function entriesOf(list: readonly unknown[]): readonly unknown[] {
  return list.filter((entry) => entry !== null && entry !== undefined);
}

/** The entries of a batch; bytes, texts and numbers stay as they are. */
function writtenEntry(entry: unknown): unknown {
  const isPlain = typeof entry === "object" && entry !== null && !ArrayBuffer.isView(entry);
  if (!isPlain || Array.isArray(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}

/**
 * Returns what the service says to a field that has to be a text and is none, in the request or in
 * one entry of a batch; undefined where there is none.
 *
 * Source: the services' JSON protocol, SerializationException
 */
export function notATextIn(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const [name, value] of Object.entries(input)) {
    if (names.includes(name) && value !== undefined && typeof value !== "string") {
      return toldOf(value);
    }
    const entries: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const entry of entries) {
      if (typeof entry !== "object" || entry === null) continue;
      const told = notATextIn(entry as Readonly<Record<string, unknown>>, names);
      if (told !== undefined) return told;
    }
  }
  return undefined;
}

function toldOf(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "NUMBER_VALUE can not be converted to a String";
    case "boolean":
      return `${value ? "TRUE" : "FALSE"}_VALUE can not be converted to a String`;
    default:
      return Array.isArray(value)
        ? "Start of list found where not expected"
        : "Start of structure or map found where not expected.";
  }
}
