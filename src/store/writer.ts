/** Who wrote an entry: a task instance, an asset watcher, or a person through the API. */
export type Writer =
  | {
      readonly kind: "task";
      readonly dagId: string;
      readonly runId: string;
      readonly taskId: string;
      readonly mapIndex: number;
    }
  | { readonly kind: "watcher" }
  | { readonly kind: "api" };

/**
 * Returns `writer` unchanged after checking it.
 *
 * @throws {TypeError} when a task lacks one of its four parts, or another kind has one
 */
export function checkedWriter(writer: Writer): Writer {
  const given = writer as unknown as Readonly<Record<string, unknown>>;
  switch (writer.kind) {
    case "task":
      for (const name of ["dagId", "runId", "taskId"]) {
        if (typeof given[name] === "string") continue;
        throw new TypeError(`Cannot use a task without ${name} as the writer: give all four parts`);
      }
      if (!Number.isInteger(writer.mapIndex)) {
        throw new TypeError(
          "Cannot use a task without mapIndex as the writer: give all four parts",
        );
      }
      return writer;
    case "watcher":
    case "api":
      for (const name of ["dagId", "runId", "taskId", "mapIndex"]) {
        if (given[name] === undefined) continue;
        throw new TypeError(
          `Cannot use ${name} on a writer of kind "${writer.kind}": leave it out`,
        );
      }
      return writer;
    default:
      throw new TypeError(
        `Cannot use "${String(given["kind"])}" as the kind of a writer: write "task", "watcher" or "api"`,
      );
  }
}
