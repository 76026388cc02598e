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
  return wrongIn(input, names, (value) =>
    typeof value === "string" ? undefined : toldOf(value, "a String"),
  );
}

/** The same of a field that has to be a whole number. */
export function notAnIntegerIn(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  return wrongIn(input, names, (value) =>
    Number.isInteger(value) ? undefined : toldOf(value, "an Integer"),
  );
}

/** The SDK writes a number that is none as a text. */
export function isWrittenAsText(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "number" && !Number.isFinite(value));
}

function wrongIn(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
  tellOf: (value: unknown) => string | undefined,
): string | undefined {
  for (const [name, value] of Object.entries(input)) {
    if (names.includes(name) && value !== undefined && value !== null) {
      const told = tellOf(value);
      if (told !== undefined) return told;
    }
    const entries: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const entry of entries) {
      if (typeof entry !== "object" || entry === null) continue;
      const told = wrongIn(entry as Readonly<Record<string, unknown>>, names, tellOf);
      if (told !== undefined) return told;
    }
  }
  return undefined;
}

function toldOf(value: unknown, wanted: "a String" | "an Integer"): string {
  const kind = (): string => {
    if (isWrittenAsText(value)) return "STRING";
    if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
    return wanted === "a String" ? "NUMBER" : "DECIMAL";
  };
  if (typeof value !== "object") return `${kind()}_VALUE can not be converted to ${wanted}`;
  return Array.isArray(value)
    ? "Start of list found where not expected"
    : "Start of structure or map found where not expected.";
}
