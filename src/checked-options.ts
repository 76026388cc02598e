/**
 * Returns `options` unchanged after checking that every member is one of `known`.
 *
 * Without the check a misspelt option, or a duration in place of the options, would silently mean
 * the default.
 *
 * @throws {TypeError} when `options` is no object or has another member
 */
export function checkedOptions<T extends object>(
  options: T,
  known: readonly (keyof T & string)[],
  method: string,
): T {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `Cannot use ${String(options)} as the options of ${method}: write ${exampleOf(known)}`,
    );
  }
  for (const name of Object.keys(options)) {
    if ((known as readonly string[]).includes(name)) continue;
    throw new TypeError(
      `Cannot use "${name}" as an option of ${method}: write ${exampleOf(known)}`,
    );
  }
  return options;
}

function exampleOf(known: readonly string[]): string {
  return known.includes("retention") ? "{ retention: { hours: 6 } }" : `{ ${known.join(", ")} }`;
}
