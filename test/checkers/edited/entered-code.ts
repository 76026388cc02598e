import { Session } from "node:inspector/promises";

/** Tells which blocks of some files are entered between two looks. */
export class EnteredCode {
  readonly #session = new Session();
  readonly #part: string;

  private constructor(part: string) {
    this.#part = part;
  }

  /** Begins to watch the files whose URL contains `part`. */
  static async of(part: string): Promise<EnteredCode> {
    const code = new EnteredCode(part);
    code.#session.connect();
    await code.#session.post("Profiler.enable");
    await code.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return code;
  }

  /** Returns what was entered since the last call, a line each block: file, start and end. */
  async entered(): Promise<readonly string[]> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.includes(this.#part))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset }) => `${url} ${startOffset} ${endOffset}`),
        ),
      );
  }
}
