/**
 * Returns a text for a key or a lane that is equal where the values are equal in Python: 1, 1n and
 * true are equal (E-33), and so are undefined and null, which are both None.
 *
 * @throws {TypeError} where Python cannot hash the value
 */
export function textFromHashable(value: unknown): string {
  if (!Array.isArray(value)) return textFromPart(value);
  return `(${value.map((part: unknown) => textFromPart(part)).join(",")})`;
}

function textFromPart(part: unknown): string {
  switch (typeof part) {
    case "string":
      return JSON.stringify(part);
    case "number":
    case "bigint":
      return String(part);
    case "boolean":
      return part ? "1" : "0";
    case "undefined":
      return "None";
    default:
      if (part === null) return "None";
      throw new TypeError(
        `Cannot use a value as a key or a lane: it is an unhashable ${typeof part}`,
      );
  }
}
