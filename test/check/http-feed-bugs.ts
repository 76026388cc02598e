import type { SourceBug } from "./producers/source-bug.ts";

/** Bugs of scenarios/producers/http-feed.ts, each of which loses a repair that its comment names. */
export const HTTP_FEED_BUGS: readonly SourceBug[] = [
  {
    id: "passes-what-failed",
    what: "the cursor passes what has to come again",
    guarantees: ["G1"],
    edits: [["const isHeld = failed > 0 || acked + rejected === 0;", "const isHeld = false;"]],
  },
  {
    id: "settles-by-old-outcomes",
    what: "the outcome of an older reading moves the cursor",
    guarantees: ["G1", "G2", "G3", "G5"],
    edits: [["if (place.before !== (upTo ?? this.#done)) continue;", ""]],
  },
  {
    id: "polls-at-once",
    what: "a feed that has too much to do is asked again at once, on and on",
    guarantees: ["hot-loop"],
    edits: [
      [
        "      if (!reply.ok) throw new Error(`The feed replied with ${reply.status}`);\n      return placesIn",
        "      if (!reply.ok) return [];\n      return placesIn",
      ],
    ],
  },
  {
    id: "believes-a-403",
    what: "a dead letter counts as kept where the reply is no error of the server",
    guarantees: ["G3"],
    edits: [["return reply?.ok === true;", "return reply !== undefined && reply.status < 500;"]],
  },
  {
    id: "keeps-no-dead-letter",
    what: "the cursor passes what was rejected, and nobody has kept it",
    guarantees: ["G3"],
    edits: [["rejected > 0 && !(await this.#isBuried(place))", "false"]],
  },
  {
    id: "stores-without-a-condition",
    what: "a cursor that is stored late moves another one back",
    guarantees: ["G5", "G2"],
    edits: [["      headers,\n", ""]],
  },
  {
    id: "stores-over-anothers-cursor",
    what: "where another process has got further, the own cursor is stored over that",
    guarantees: ["G5"],
    edits: [
      [
        'if (stored !== cursor) return "elsewhere";',
        "if (stored !== cursor) {\n        this.#stored = stored;\n        return this.#store(cursor);\n      }",
      ],
    ],
  },
  {
    id: "ends-with-the-first-error",
    what: "a poll that fails ends the stream",
    guarantees: ["G10"],
    edits: [["await this.#read().catch(() => undefined);", "await this.#read();"]],
  },
  {
    id: "never-aborts-its-poll",
    what: "the poll that waits goes on after the end",
    guarantees: ["G6", "G10"],
    edits: [
      ["const onAbort = (): void => this.#poll.abort();", "const onAbort = (): void => undefined;"],
      ["    this.#poll.abort();\n    return Promise.resolve();", "    return Promise.resolve();"],
    ],
  },
  {
    id: "reads-on-from-a-deleted-cursor",
    what: "a cursor that retention has overtaken is tried for ever",
    guarantees: ["G10", "progress", "G8", "hot-loop"],
    edits: [["reply.status === 410", "reply.status === 411"]],
  },
  {
    id: "polls-again-at-once",
    what: "a poll that is refused is made again without a pause",
    guarantees: ["hot-loop"],
    edits: [
      [
        "      if (places === undefined && this.#again === undefined) await pause(BACKOFF_MS, signal);\n",
        "",
      ],
    ],
  },
];
